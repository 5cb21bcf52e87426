// Runs graphs one after the other.
#include "parity/core/trial.hpp"

#include <algorithm>

namespace plumb::parity::core {
namespace {

TrialEnd run(ir::Executor& executor, const Trial& trial) try {
  const auto executable = executor.compile(trial.graph, trial.feeds, {.wanted = trial.graph.results()});
  TrialEnd end{.values = executable->run(trial.feeds)};
  std::erase_if(end.values,
                [results = trial.graph.results()](const auto& value) {  // some give more than they are asked
                  return std::ranges::find(results, value.first) == results.end();
                });
  end.nodes = executable->nodes();
  return end;
} catch (const ir::Unsupported& reason) {
  return {.refused = reason.what()};
}

}  // namespace

RunTrials one_by_one(ir::Executor& executor) {
  return [&executor](const std::vector<Trial>& trials) {
    std::vector<TrialEnd> ends;
    for (const Trial& trial : trials) ends.push_back(run(executor, trial));
    return ends;
  };
}

}  // namespace plumb::parity::core
