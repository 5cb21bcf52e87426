// Limits of the outputs of a group by runs with other roundings.
#include "parity/verify/node/group_runs.hpp"

#include <algorithm>

#include "parity/checks/expected/end_to_end.hpp"
#include "parity/checks/expected/explain.hpp"
#include "parity/core/float_format.hpp"

namespace plumb::parity::verify {
namespace {

constexpr unsigned runs_of_a_group = 8;  // verdict.md V44

/// How another implementation computes a group: as the coarsest of what it shows is stored; one that shows no floats in
/// f32.
const bounds::runs::Precision& precision_of(const core::Segment& segment, std::optional<ir::DType> operands) {
  std::string_view coarsest;
  if (operands) coarsest = checks::expected::stored_precision(*operands);
  for (const ir::Value v : segment.outputs)
    coarsest = checks::expected::coarser_of(coarsest, checks::expected::stored_precision(segment.graph.type(v).dtype));
  return checks::expected::precision_of(coarsest.empty() ? "f32" : coarsest).precision;
}

}  // namespace

GroupRuns run_group(ir::Executor& reference, const core::Segment& segment, const ir::Feeds& fed,
                    std::optional<ir::DType> operands, double lambda, const bounds::runs::Evaluate& evaluate) {
  GroupRuns runs{.precision = precision_of(segment, operands), .lambda = lambda};
  auto spreads = bounds::runs::spread_of(reference, segment.graph, fed, segment.outputs, runs.precision,
                                         {runs_of_a_group, lambda}, evaluate);
  for (std::size_t k = 0; k < segment.outputs.size(); ++k)
    if (const auto found = spreads.find(segment.outputs[k]); found != spreads.end())
      runs.spreads.emplace(k, std::move(found->second));
  return runs;
}

void hold_to_group_runs(const GroupRuns& runs, std::size_t k, const ir::TensorView& got, cases::Measured& measured,
                        const std::optional<compare::MapExtents>& map) {
  const checks::expected::EndToEnd held =
      checks::expected::hold_to_runs(runs.spreads.at(k), got, runs.precision, runs.lambda, map);
  measured.allowed = held.allowed;
  measured.local = held.comparison;
  measured.telling = held.telling;
  measured.units.flagged = held.n_flagged;
  if (held.allowed.rule != compare::Allowed::Rule::exact) return;
  const std::uint64_t count = held.comparison.n;
  measured.telling = {.elements = count, .informative = count - std::min(count, held.n_flagged), .has_precise = true};
}

bool has_narrow_inner_value(const core::Segment& segment) {
  for (const ir::Node& node : segment.graph.nodes())
    for (const ir::Value v : node.outputs) {
      const ir::DType dtype = segment.graph.type(v).dtype;
      const bool is_shown = std::ranges::find(segment.outputs, v) != segment.outputs.end();
      if (!is_shown && ir::is_float(dtype) && core::compute_dtype(dtype) != dtype) return true;
    }
  return false;
}

}  // namespace plumb::parity::verify
