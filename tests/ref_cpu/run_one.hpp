#pragma once

#include "ref_cpu/cpu_executor.hpp"

namespace plumb::ref_cpu {

/// The first result of one op on these tensors, on the CPU executor.
inline ir::Tensor run_one(const ir::Op& op, const std::vector<ir::Tensor>& inputs, int threads = 0) {
  ir::Graph graph;
  ir::Feeds feeds;
  std::vector<ir::Value> values;
  for (const ir::Tensor& tensor : inputs) {
    const auto name = ir::cat("x", values.size());
    values.push_back(graph.input(name, tensor.type()));
    feeds.emplace(name, tensor);
  }
  const ir::Value y = graph.add_all("y", op, values).front();
  graph.returns(y);
  return CpuExecutor({threads}).run(graph, feeds, {y}).at(y);
}

}  // namespace plumb::ref_cpu
