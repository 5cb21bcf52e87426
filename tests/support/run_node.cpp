#include "tests/support/run_node.hpp"

#include <random>

namespace plumb::tests {

ir::Graph one_node(ir::Op op, const std::vector<ir::TensorType>& operands) {
  ir::Graph graph;
  std::vector<ir::Value> inputs;
  for (std::size_t i = 0; i < operands.size(); ++i) inputs.push_back(graph.input(ir::cat("x", i), operands[i]));
  for (const ir::Value y : graph.add_all("y", std::move(op), inputs)) graph.returns(y);
  return graph;
}

std::vector<ir::Tensor> run_node(ir::Executor& executor, ir::Op op, const std::vector<ir::Tensor>& operands) {
  std::vector<ir::TensorType> types;
  ir::Feeds feeds;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    types.push_back(operands[i].type());
    feeds.emplace(ir::cat("x", i), operands[i]);
  }
  const ir::Graph graph = one_node(std::move(op), types);
  auto results = executor.run(graph, feeds, graph.results());
  std::vector<ir::Tensor> outputs;
  for (const ir::Value y : graph.results()) outputs.push_back(std::move(results.at(y)));
  return outputs;
}

ir::Tensor noise(const ir::TensorType& type, unsigned seed) {
  std::mt19937 bits(seed);
  ir::Tensor tensor(type);
  const unsigned mask = type.dtype == ir::DType::boolean ? 1 : 255;
  for (std::byte& byte : tensor.bytes()) byte = static_cast<std::byte>(bits() >> 11 & mask);
  return tensor;
}

std::string message_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const ir::Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace plumb::tests
