#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ir/executor.hpp"

namespace plumb::parity::core {

/// A graph that is to be run once, for its results.
struct Trial {
  ir::Graph graph;
  ir::Feeds feeds;  ///< inputs and params
};

/// The outcome of a trial.
struct TrialEnd {
  ir::Tensors values = {};                  ///< the results, by value of the graph
  std::vector<ir::NodeReport> nodes = {};   ///< in the order of the graph
  std::optional<std::string> refused = {};  ///< why the executor cannot run it; then there is nothing else
};

/// Runs trials, each by itself, and gives an end for each. Throws as executors do, but for Unsupported.
using RunTrials = std::function<std::vector<TrialEnd>(std::vector<Trial>)>;

/// Runs them one after the other.
RunTrials one_by_one(ir::Executor& executor);

}  // namespace plumb::parity::core
