#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "ir/executor.hpp"

namespace plumb::bench {

/// An executor to benchmark, and the first part of the benchmarks' names.
struct Candidate {
  std::string name;  ///< "cpu", "vulkan"
  std::shared_ptr<ir::Executor> executor;
};

/// Registers one benchmark for each graph file below `folder`, on each
/// candidate, called "<candidate>/<group><path below folder, without .json>".
///
/// A run feeds the inputs and hands the results back. `bytes_per_second` counts
/// operands and results of every node once, `flops` the cost its schema states.
/// `nodes_us` is the time of the nodes alone, where the executor measures it, and the
/// rates beginning with `nodes_` are over that time.
void register_fixtures(const std::filesystem::path& folder, const std::string& group,
                       const std::vector<Candidate>& candidates);

}  // namespace plumb::bench
