#pragma once

#include <map>
#include <string>
#include <vector>

#include "ir/executor.hpp"
#include "ir/passes/precision.hpp"

namespace plumb::parity::studies::sweep {

/// A graph that ran, and where its time went.
struct Timed {
  const ir::Graph& graph;
  std::vector<ir::NodeReport> reports;  ///< by node
};

/// Nanoseconds that each node of a plan saves by running as it says, below 0 where it loses: `before` is the graph
/// without the plan, `after` the one at all of it. Whatever is fused with a node in one of the two belongs to it, so
/// that an activation counts that a cast cut off; what several nodes share, a cast or a kernel, they share evenly.
/// Empty where nothing has a time.
std::map<std::string, double> savings(const Timed& before, const Timed& after, const ir::passes::PrecisionPlan& plan);

}  // namespace plumb::parity::studies::sweep
