#include "parity/profile/probe/one_op.hpp"

namespace plumb::parity::profile::probe {

std::optional<ir::Tensor> run_op(ir::Executor& executor, bool is_host, const ir::Op& op,
                                 const std::vector<ir::Tensor>& operands) try {
  ir::Graph graph;
  ir::Feeds feeds;
  std::vector<ir::Value> inputs;
  for (const ir::Tensor& operand : operands) {
    const std::string name = ir::cat("x", inputs.size());
    inputs.push_back(graph.input(name, operand.type()));
    feeds.emplace(name, operand);
  }
  const ir::Value y = graph.add("y", op, inputs);
  graph.returns(y);
  const auto executable = executor.compile(graph, feeds, {{y}, false});
  if (!is_host && executable->nodes().at(0).placement == ir::Placement::cpu) return std::nullopt;
  return executable->run(feeds).at(y);
} catch (const ir::Unsupported&) {
  return std::nullopt;
}

}  // namespace plumb::parity::profile::probe
