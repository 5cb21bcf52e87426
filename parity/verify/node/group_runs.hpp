#pragma once

#include <map>
#include <optional>
#include <string>

#include "parity/bounds/runs/sign_runs.hpp"
#include "parity/cases/node_result.hpp"
#include "parity/core/segment.hpp"

/// A group of nodes of which somebody else's candidate shows the last outputs only, judged by how far roundings
/// anywhere in it may move them from what it was fed (verdict.md V44, library.md A).
namespace plumb::parity::verify {

/// How far runs with other roundings moved the outputs of a group, by output.
struct GroupRuns {
  bounds::runs::Precision precision = {};
  double lambda = 0;
  std::map<std::size_t, bounds::runs::Spread> spreads = {};
};

/// Runs a group on what the candidate's was fed, in the dtypes of the graph; `operands` is the coarsest that any of it
/// is stored in, where that is narrower. Throws NoModel for an op that no limits are known of.
GroupRuns run_group(ir::Executor& reference, const core::Segment& segment, const ir::Feeds& fed,
                    std::optional<ir::DType> operands, double lambda, const bounds::runs::Evaluate& evaluate);

/// Holds output `k` of the group to the runs: sets what `measured` says of its limits, its comparison and what
/// agreement proves.
void hold_to_group_runs(const GroupRuns& runs, std::size_t k, const ir::TensorView& got, cases::Measured& measured,
                        const std::optional<compare::MapExtents>& map);

/// Whether a value that the group keeps to itself is stored in fewer bits than it is computed in: it may be rounded
/// there or not, which error models of the ops by themselves do not allow for (verdict.md V3).
bool has_narrow_inner_value(const core::Segment& segment);

}  // namespace plumb::parity::verify
