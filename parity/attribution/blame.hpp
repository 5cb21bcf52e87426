#pragma once

#include <functional>
#include <span>

#include "parity/cases/node_result.hpp"
#include "parity/core/segment.hpp"

namespace plumb::parity::attribution {

/// A case after its comparison: its graph, and look-ups by node and by value.
struct Compared {
  const ir::Graph& graph;
  std::function<const core::Segment&(std::size_t)> segment;  ///< the segment of a node, which made its local truth
  core::Available is_kept;                                   ///< whether the candidate kept a value
  core::Lookup device;  ///< the candidate's tensor of a value that it kept, or of a source
};

/// The nodes that the errors of the graph's results seem to come from, most suspected first, at most `most`: the guilty
/// ones, then by an estimate that needs no further run. A result's error is handed back through the graph; each node
/// keeps local^2 / (local^2 + inherited^2) of what reaches it, and its inputs get the rest as the squares of their
/// relative errors. It takes errors for independent, and every input for equally amplified: an order to look in, no
/// number to report.
std::vector<std::size_t> suspects(const Compared& run, std::span<const cases::NodeResult> nodes, std::size_t most);

/// The share of the error of each result of the graph that comes from each of these nodes (docs/attribution.md):
/// with e the error of the result, and c the change of its truth when the node's local error, and no other, is added
/// to what the node makes of the truth, c.e / e.e. Shares of all nodes add up to 1 to first order; NaN of a result
/// without error, and where the reference refuses the changed values. Costs one run of the widened graph, and one more
/// of all that depends on it for each node.
std::vector<std::vector<double>> shares(const Compared& run, ir::Executor& reference,
                                        std::span<const std::size_t> nodes);

/// Adds to the results of the nodes most suspected, at most `most`, their shares.
void assign_blame(cases::CaseResult& result, const Compared& run, ir::Executor& reference, std::size_t most);

}  // namespace plumb::parity::attribution
