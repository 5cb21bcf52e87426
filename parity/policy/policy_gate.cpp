// Applies a policy to what was compared: facts of the node and device, measures, and rules that decide.
#include "parity/policy/policy_gate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>

#include "ir/cost.hpp"
#include "ir/raw/glob.hpp"
#include "parity/cases/node_result.hpp"
#include "parity/core/float_format.hpp"

namespace plumb::parity::policy {
namespace {

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

std::string to_text(std::chrono::sys_days day) {
  const std::chrono::year_month_day date(day);
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()));
}

std::chrono::sys_days today() { return std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()); }

Facts device_facts(std::string name, std::string driver, std::string_view driver_info) {
  Facts facts;
  facts.device = std::move(name);
  facts.driver = std::move(driver);
  facts.driver_version = first_version(driver_info);
  return facts;
}

void set_dtypes(Facts& facts, ir::DType dtype, std::optional<ir::DType> accumulator) {
  const bool is_real = ir::unit_roundoff(dtype) > 0;
  const ir::DType computed = is_real ? core::compute_dtype(dtype) : dtype,
                  accumulation = accumulator.value_or(computed);
  facts.dtype = ir::info(dtype).name;
  facts.computed_in = ir::info(computed).name;
  facts.accumulation = ir::info(accumulation).name;
  facts.u = ir::unit_roundoff(accumulation);
  facts.u_out = ir::unit_roundoff(dtype);
}

Facts facts_of(const Facts& device, const ir::Graph& graph, const cases::NodeResult& result) {
  const ir::Node& node = graph.nodes()[result.node];
  Facts facts = device;
  facts.node = result.name();
  facts.op = result.op;
  facts.exact = ir::enum_name(result.proof.exact);
  if (!node.inputs.empty()) facts.in = ir::info(graph.type(node.inputs[0]).dtype).name;
  set_dtypes(facts, result.type.dtype, ir::accumulator_of(result.sums));
  facts.kernel = result.kernel;
  facts.tile = result.tile;
  facts.n = static_cast<std::uint64_t>(result.type.shape.elements());
  const auto terms = ir::cost_of(graph, node).contraction;
  facts.k_reduce = static_cast<std::uint64_t>(std::max<std::int64_t>(terms, 0));
  return facts;
}

Measured measured(const compare::Comparison& c) {
  Measured m{.n = c.n, .n_bad = c.n_bad, .n_nan = c.n_nan_expected + c.n_nan_got};
  m.n_nan_differ = c.n_nan_differ;
  m.infinities_differ = c.n_inf_differ > 0;
  m.specials_differ = c.n_nan_differ + c.n_inf_differ > 0;
  m.ratio_max = c.ratio();
  m.ratio_finite = c.ratio_finite;
  m.ratio_certain = c.ratio_certain;
  m.sigma_max = c.sigma_max;
  m.max_abs = c.max_abs.value;
  m.max_rel = c.max_rel.value;
  m.max_ulp = c.max_ulp.value;
  m.mean_signed = c.mean_signed;
  m.rms = c.rms;
  m.nmse = c.nmse;
  m.cosine = c.cosine;
  m.expected_absmax = c.expected_absmax;
  m.expected_norm1 = c.expected_norm1;
  m.expected_norm2 = c.expected_norm2;
  return m;
}

bool may_flush(const Gate* gate, bool device_flushes) {
  const SubnormalRule rule = gate == nullptr ? SubnormalRule::profile : gate->policy.subnormal;
  return rule == SubnormalRule::profile ? device_flushes : rule == SubnormalRule::flush;
}

bool has_budget(const Gate* gate, const ir::Node& node) {
  if (gate == nullptr) return false;
  for (std::size_t k = 0; k < node.outputs.size(); ++k)
    if (has_budget(gate->policy, cases::output_name(node.label, k))) return true;
  return false;
}

void require_total(const Gate* gate, cases::NodeResult& result) {
  if (gate == nullptr || !has_budget(gate->policy, result.name())) return;
  result.verdict = core::Verdict::error;
  result.why = "[output] holds its total error to a limit, and it was not measured: " + result.why;
}

double false_alarms(const Gate* gate) {
  return gate == nullptr ? compare::usual_false_alarms : gate->policy.false_alarms();
}

void excuse(const Gate* gate, const ir::Graph& graph, cases::NodeResult& result) {
  if (gate == nullptr || gate->policy.quarantines.empty()) return;
  const std::optional<Incident> incident = incident_of(result.verdict);
  if (!incident) return;
  const Quarantine* const found = quarantine_of(gate->policy, facts_of(gate->device, graph, result), *incident,
                                                result.gated().ratio(), gate->today);
  if (found == nullptr) return;
  result.verdict = core::Verdict::quarantined;
  result.why += "; " + excuse_of(gate->policy, *found);
}

void excuse_device_fault(const Gate* gate, cases::CaseResult& result) {
  if (gate == nullptr || result.verdict != core::Verdict::error || result.exit != core::ExitCode::device_error) return;
  const Quarantine* const found =
      quarantine_of(gate->policy, gate->device, Incident::device_fault, compare::not_computed, gate->today);
  if (found == nullptr) return;
  result.verdict = core::Verdict::quarantined;
  result.exit = core::ExitCode::passed;
  result.message += "; " + excuse_of(gate->policy, *found);
}

cases::JudgedBy judged_by(const Gate* gate) {
  if (gate == nullptr) return {};
  return {gate->policy.file, gate->policy.text, rules_ending(gate->policy, gate->today)};
}

std::vector<std::size_t> rules_ending(const Policy& policy, std::chrono::sys_days today) {
  std::vector<std::size_t> ending;
  for (std::size_t r = 0; r < policy.rules.size(); ++r) {
    const Rule& rule = policy.rules[r];
    if (rule.expects_failure && rule.expires && *rule.expires - today <= std::chrono::weeks(2)) ending.push_back(r);
  }
  return ending;
}

std::vector<std::string> idle_budgets(const Policy& policy, std::span<const std::string> outputs) {
  std::vector<std::string> findings;
  for (const OutputBudget& budget : policy.outputs)
    if (std::ranges::none_of(outputs,
                             [&](const std::string& name) { return ir::raw::glob_matches(budget.output, name); }))
      findings.push_back(
          ir::cat(policy.file, ':', budget.line, ": [output] '", budget.output, "' unused: there is no such output"));
  return findings;
}

std::vector<core::RunFinding> as_findings(const std::vector<std::string>& idle_budgets) {
  std::vector<core::RunFinding> findings;
  for (const std::string& text : idle_budgets)
    findings.push_back({.kind = "unused_limit",
                        .text = text,
                        .usual = core::ExitCode::tool_error,
                        .strict = core::ExitCode::tool_error});
  return findings;
}

Judgement judge(const Gate& gate, const ir::Graph& graph, cases::NodeResult& result, const ir::TensorView& truth,
                const ir::TensorView& got) {
  const Facts facts = facts_of(gate.device, graph, result);
  Parts parts{measured(result.gated()), measured(result.total)};
  parts.local.vacuity = result.vacuity.score();
  parts.local.emulator_ulp = result.emulator_ulp.value_or(compare::not_computed);
  parts.local.lambda = result.lambda;
  parts.local.misrounded = result.statistics.misrounded;
  parts.local.adds_as_published = !result.replays.refutes();
  parts.local.holds = [&](const Requirement& requirement) {
    if (requirement.measure == Measure::allclose) return all_close(truth, got, requirement);
    const compare::Comparison exact = compare::compare(truth, got, {.rule = compare::Allowed::Rule::exact});
    return exact.n_bad == exact.n_nan_differ;
  };
  Judgement judgement = judge(gate.policy, facts, parts, gate.today);
  result.rule = judgement.rule;
  if (!gate.explain.empty() && ir::raw::glob_matches(gate.explain, facts.node))
    result.explanation = explain(gate.policy, facts, parts, gate.today);
  return judgement;
}

Judgement judge_numbers(const Gate* gate, const ir::Graph& graph, cases::NodeResult& result,
                        const ir::TensorView& truth, const ir::TensorView& got) {
  if (gate != nullptr) return judge(*gate, graph, result, truth, got);
  if (result.gated().agrees()) return {};
  return {core::Verdict::failed, {}, result.summary()};
}

bool decides_by_bound(const Gate* gate, const cases::NodeResult& result) {
  if (gate == nullptr || !result.rule) return true;
  const std::vector<Requirement>& required = gate->policy.rules[*result.rule].require;
  return required.empty() || std::ranges::count(required, Measure::ratio_max, &Requirement::measure) > 0;
}

bool is_refused_by_statistics(const Gate* gate, const cases::NodeResult& result, const Judgement& judged) {
  const bool holds = judged.verdict == core::Verdict::passed || judged.verdict == core::Verdict::xpassed;
  return holds && !result.statistics.finding.empty() && decides_by_bound(gate, result);
}

bool looks_at_replays(const Gate* gate, const cases::NodeResult& result) {
  if (decides_by_bound(gate, result)) return true;
  const std::vector<Requirement>& required = gate->policy.rules[*result.rule].require;
  return std::ranges::count(required, Measure::replay, &Requirement::measure) > 0;
}

}  // namespace plumb::parity::policy
