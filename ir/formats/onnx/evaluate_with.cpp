#include "ir/formats/onnx/onnx_file.hpp"

namespace plumb::ir::formats {

Evaluate evaluate_with(Executor& executor) {
  return [&executor](const Op& op, std::span<const Tensor> operands) {
    Graph graph;
    Feeds feeds;
    std::vector<Value> inputs;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      inputs.push_back(graph.input(cat("x", i), operands[i].type()));
      feeds.emplace(cat("x", i), operands[i]);
    }
    const auto outputs = graph.add_all("y", op, inputs);
    for (const Value y : outputs) graph.returns(y);
    auto results = executor.run(graph, feeds, outputs);
    std::vector<Tensor> tensors;
    for (const Value y : outputs) tensors.push_back(std::move(results.at(y)));
    return tensors;
  };
}

}  // namespace plumb::ir::formats
