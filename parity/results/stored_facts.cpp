#include "parity/results/stored_facts.hpp"

#include <cmath>

#include "ir/attribute.hpp"
#include "parity/core/float_format.hpp"
#include "parity/policy/policy_gate.hpp"

namespace plumb::parity::results {
namespace {

/// A NaN, an infinity, or a finite truth that overflows, not met by its like: compare() puts
/// these before all other elements, and measures no error of them.
bool is_special(double expected, double got, double ratio, ir::DType dtype) {
  if (std::isnan(ratio)) return false;
  const bool overflows = ir::unit_roundoff(dtype) > 0 && std::abs(expected) >= core::float_format(dtype).overflow();
  return !std::isfinite(expected) || !std::isfinite(got) || (overflows && std::isinf(ratio));
}

}  // namespace

policy::Facts facts_of(ResultsFile& file, const Run& run, const Node& row) {
  const GraphNode& node = file.node_of(run, row);
  const StoredKernel kernel = file.kernel(row);
  policy::Facts facts = file.device(run).facts;
  facts.node = file.label(run, row);
  const auto& ops = op_choices();
  if (node.op.value < ops.size()) facts.op = ops[node.op.value];
  if (const auto in = dtype_of(node.dtype_in)) facts.in = ir::info(*in).name;
  if (const auto out = dtype_of(node.dtype_out)) policy::set_dtypes(facts, *out, kernel.accumulation);
  if (!kernel.is_recorded) facts.accumulation.clear();
  facts.kernel = kernel.name;
  facts.tile = kernel.tile;
  facts.exact = ir::enum_name(known(node.exact, Exactness::unknown));
  facts.fill = ir::enum_name(known(run.fill, FillKind::graph));
  facts.n = node.n_elem;
  facts.k_reduce = node.k_reduce;
  return facts;
}

policy::Measured measured(const Node& row, const TopElement& worst, ir::DType dtype) {
  policy::Measured m{.n = row.n, .n_bad = row.n_bad, .n_nan = row.n_nan_ref + row.n_nan_dev};
  const bool is_counted = row.n_nan_differ != no_number;  // since version 1.2 of the schema
  if (is_counted) {
    m.n_nan_differ = row.n_nan_differ;
    m.infinities_differ = row.n_inf_differ > 0;
    m.specials_differ = row.n_nan_differ + row.n_inf_differ > 0;
  } else if (worst.index != no_number) {
    m.n_nan_differ.reset();
    const bool is_limited = row.part == Part::local || !std::isnan(row.ratio_max);
    const double ratio = is_limited ? row.ratio_max : 0;
    m.specials_differ = is_special(worst.ref, worst.dev, ratio, dtype);
  }
  m.ratio_max = row.ratio_max;
  m.ratio_finite = row.ratio_finite;
  m.lambda = row.lambda;
  m.sigma_max = row.sigma_max;
  m.ratio_certain = row.ratio_certain;
  m.misrounded = row.misrounded;
  m.max_abs = row.max_abs;
  m.max_rel = row.max_rel;
  m.max_ulp = row.max_ulp;
  m.mean_signed = row.mean_signed;
  m.rms = row.rms;
  m.nmse = row.nmse;
  m.cosine = row.cosine;
  m.expected_absmax = row.ref_absmax;
  m.expected_norm1 = row.ref_norm1;
  m.expected_norm2 = row.ref_norm2;
  m.vacuity = row.vacuity;
  m.emulator_ulp = row.emulator_ulp;
  if (row.n_replay != Node::no_replays) m.adds_as_published = row.n_replay_equal >= row.n_replay;
  return m;
}

core::Coverage coverage_of(const Run& run) {
  return {std::isnan(run.coverage_flops) ? 1 : run.coverage_flops,
          std::isnan(run.coverage_elements) ? 1 : run.coverage_elements};
}
core::Coverage least_coverage_of(const Run& run) {
  if (std::isnan(run.least_flops)) return {};
  return {run.least_flops, run.least_elements};
}

bool was_stopped_by(ResultsFile& file, const Run& run, const Node& row) {
  if (!run.is_named() || !cases::is_made(known(row.special, cases::Special::unknown))) return false;
  return file.text_of("/options/" + file.name(run.options_id) + "/text").find("\nvalidate=on\n") != std::string::npos;
}

}  // namespace plumb::parity::results
