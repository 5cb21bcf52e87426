#include "parity/policy/policy_gate.hpp"

#include <algorithm>
#include <cmath>
#include <complex>

#include "ir/cost.hpp"
#include "parity/core/float_format.hpp"
#include "parity/results/results_rows.hpp"
#include "parity/verify/verify.hpp"

namespace plumb::parity::policy {
namespace {

std::string name_of(ir::DType dtype) { return std::string(ir::info(dtype).name); }

/// A NaN, an infinity, or a finite truth that overflows, not met by its like: compare() puts
/// these before all other elements, and measures no error of them.
bool is_special(double expected, double got, double ratio, ir::DType dtype) {
  if (std::isnan(ratio)) return false;
  const bool overflows = ir::unit_roundoff(dtype) > 0 && std::abs(expected) >= core::float_format(dtype).overflow();
  return !std::isfinite(expected) || !std::isfinite(got) || (overflows && std::isinf(ratio));
}

void set_dtypes(Facts& facts, ir::DType dtype) {
  const bool is_real = ir::unit_roundoff(dtype) > 0;
  const ir::DType acc = is_real ? core::compute_dtype(dtype) : dtype;
  facts.dtype = name_of(dtype);
  facts.acc = name_of(acc);
  facts.u = ir::unit_roundoff(acc);
  facts.u_out = ir::unit_roundoff(dtype);
}

template <class T>
bool all_close(std::span<const T> truth, std::span<const T> got, const Requirement& requirement) {
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (truth[i] == got[i] || !std::isfinite(std::abs(truth[i] - got[i]))) continue;  // specials are judged apart
    const double limit = requirement.absolute + requirement.relative * std::abs(truth[i]);
    if (!(std::abs(got[i] - truth[i]) <= limit)) return false;
  }
  return true;
}

bool all_close(const ir::TensorView& truth, const ir::TensorView& got, const Requirement& requirement) {
  const ir::DType wide = ir::is_complex(got.dtype()) ? ir::DType::c128 : ir::DType::f64;
  const ir::Tensor expected = ir::convert(truth, wide), found = ir::convert(got, wide);
  if (wide == ir::DType::f64) return all_close(expected.as<double>(), found.as<double>(), requirement);
  return all_close(expected.as<std::complex<double>>(), found.as<std::complex<double>>(), requirement);
}

}  // namespace

Facts device_facts(std::string name, std::string driver, std::string_view driver_info) {
  Facts facts;
  facts.device = std::move(name);
  facts.driver = std::move(driver);
  facts.driver_version = first_version(driver_info);
  return facts;
}

Facts facts_of(const Facts& device, const ir::Graph& graph, const cases::NodeResult& result) {
  const ir::Node& node = graph.nodes()[result.node];
  Facts facts = device;
  facts.node = result.name();
  facts.op = result.op;
  facts.exact = ir::enum_name(result.proof.exact);
  if (!node.inputs.empty()) facts.in = name_of(graph.type(node.inputs[0]).dtype);
  set_dtypes(facts, result.type.dtype);
  facts.n = static_cast<std::uint64_t>(result.type.shape.elements());
  const auto terms = ir::cost_of(graph, node).contraction;
  facts.k_reduce = static_cast<std::uint64_t>(std::max<std::int64_t>(terms, 0));
  return facts;
}

Facts facts_of(const Facts& device, const results::GraphNode& node, std::string label,
               results::Code<results::FillKind> fill) {
  Facts facts = device;
  facts.node = std::move(label);
  const auto& ops = results::op_choices();
  if (node.op.value < ops.size()) facts.op = ops[node.op.value];
  if (node.dtype_in.value < ir::dtype_count) facts.in = name_of(static_cast<ir::DType>(node.dtype_in.value));
  if (node.dtype_out.value < ir::dtype_count) set_dtypes(facts, static_cast<ir::DType>(node.dtype_out.value));
  const auto exact = core::enum_names(results::Exactness{});
  if (node.exact.value < exact.size()) facts.exact = exact[node.exact.value];
  const auto fills = core::enum_names(results::FillKind{});
  if (fill.value < fills.size()) facts.fill = fills[fill.value];
  facts.n = node.n_elem;
  facts.k_reduce = node.k_reduce;
  return facts;
}

Measured measured(const compare::Comparison& c) {
  Measured m{.n = c.n, .n_bad = c.n_bad, .n_nan = c.n_nan_expected + c.n_nan_got};
  m.n_nan_differ = c.n_nan_differ;
  m.infinities_differ = c.n_inf_differ > 0;
  m.specials_differ = c.n_nan_differ + c.n_inf_differ > 0;
  m.ratio_max = c.ratio(), m.ratio_finite = c.ratio_finite;
  m.max_abs = c.max_abs.value, m.max_rel = c.max_rel.value, m.max_ulp = c.max_ulp.value;
  m.mean_signed = c.mean_signed, m.rms = c.rms, m.nmse = c.nmse, m.cosine = c.cosine;
  m.expected_absmax = c.expected_absmax, m.expected_norm1 = c.expected_norm1, m.expected_norm2 = c.expected_norm2;
  return m;
}

Measured measured(const results::Node& row, const results::TopElement& worst, ir::DType dtype) {
  Measured m{.n = row.n, .n_bad = row.n_bad, .n_nan = row.n_nan_ref + row.n_nan_dev};
  const bool is_counted = row.n_nan_differ != results::no_number;  // since version 1.2 of the schema
  if (is_counted) {
    m.n_nan_differ = row.n_nan_differ;
    m.infinities_differ = row.n_inf_differ > 0;
    m.specials_differ = row.n_nan_differ + row.n_inf_differ > 0;
  } else if (worst.index != results::no_number) {
    m.n_nan_differ.reset();
    const bool is_limited = row.part == results::Part::local || !std::isnan(row.ratio_max);
    const double ratio = is_limited ? row.ratio_max : 0;
    m.specials_differ = is_special(worst.ref, worst.dev, ratio, dtype);
  }
  m.ratio_max = row.ratio_max, m.ratio_finite = row.ratio_finite;
  m.max_abs = row.max_abs, m.max_rel = row.max_rel, m.max_ulp = row.max_ulp;
  m.mean_signed = row.mean_signed, m.rms = row.rms, m.nmse = row.nmse, m.cosine = row.cosine;
  m.expected_absmax = row.ref_absmax, m.expected_norm1 = row.ref_norm1, m.expected_norm2 = row.ref_norm2;
  m.vacuity = row.vacuity;
  m.emulator_ulp = row.emulator_ulp;
  return m;
}

bool may_flush(const Gate* gate, bool device_flushes) {
  const SubnormalRule rule = gate == nullptr ? SubnormalRule::profile : gate->policy.subnormal;
  return rule == SubnormalRule::profile ? device_flushes : rule == SubnormalRule::flush;
}

bool has_budget(const Gate* gate, const ir::Node& node) {
  if (gate == nullptr) return false;
  for (std::size_t k = 0; k < node.outputs.size(); ++k)
    if (has_budget(gate->policy, cases::NodeResult{.output = k, .label = node.label}.name())) return true;
  return false;
}

void require_total(const Gate* gate, cases::NodeResult& result) {
  if (gate == nullptr || !has_budget(gate->policy, result.name())) return;
  result.verdict = core::Verdict::error;
  result.why = "[output] holds its total error to a limit, and it was not measured: " + result.why;
}

double alpha_of_one(const Gate* gate, std::span<const cases::NodeResult> nodes) {
  const auto made = std::ranges::count_if(nodes, [](const cases::NodeResult& node) { return node.hash.has_value(); });
  if (gate == nullptr || made == 0) return compare::not_computed;
  return gate->policy.budget.false_alarm_per_run.value_or(compare::not_computed) / static_cast<double>(made);
}

std::vector<std::string> idle_budgets(const Policy& policy, std::span<const std::string> outputs) {
  std::vector<std::string> findings;
  for (const OutputBudget& budget : policy.outputs)
    if (std::ranges::none_of(outputs, [&](const std::string& name) { return glob_matches(budget.output, name); }))
      findings.push_back(
          ir::cat(policy.file, ':', budget.line, ": [output] '", budget.output, "' unused: there is no such output"));
  return findings;
}

Judgement judge(const Gate& gate, const ir::Graph& graph, cases::NodeResult& result, const ir::TensorView& truth,
                const ir::TensorView& got) {
  const Facts facts = facts_of(gate.device, graph, result);
  Parts parts{measured(result.gated()), measured(result.total)};
  parts.local.vacuity = result.vacuity.score();
  parts.local.emulator_ulp = result.emulator_ulp.value_or(compare::not_computed);
  parts.local.holds = [&](const Requirement& requirement) {
    if (requirement.measure == Measure::allclose) return all_close(truth, got, requirement);
    const compare::Comparison exact = compare::compare(truth, got, {.rule = compare::Allowed::Rule::exact});
    return exact.n_bad == exact.n_nan_differ;
  };
  Judgement judgement = judge(gate.policy, facts, parts, gate.today);
  result.rule = judgement.rule;
  if (!gate.explain.empty() && glob_matches(gate.explain, facts.node))
    result.explanation = explain(gate.policy, facts, parts, gate.today);
  return judgement;
}

Judgement judge_numbers(const Gate* gate, const ir::Graph& graph, cases::NodeResult& result,
                        const ir::TensorView& truth, const ir::TensorView& got) {
  if (gate != nullptr) return judge(*gate, graph, result, truth, got);
  if (result.gated().agrees()) return {};
  return {core::Verdict::failed, {}, compare::summary(result.gated())};
}

}  // namespace plumb::parity::policy
