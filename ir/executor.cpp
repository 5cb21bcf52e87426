// Graphs of one op and their run on any executor, for probes, proofs and relations; and the check of what is fed.
#include "ir/executor.hpp"

namespace plumb::ir {

Graph graph_of(const Op& op, Types operands, const std::string& label, const std::vector<bool>& is_param) {
  Graph graph;
  std::vector<Value> values(operands.size());
  for (const bool params : {false, true})  // inputs come first in a graph
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const bool of_params = i < is_param.size() && is_param[i];
      if (of_params != params) continue;
      const auto name = cat("x", i);
      values[i] = params ? graph.param(name, operands[i]) : graph.input(name, operands[i]);
    }
  for (const Value v : graph.add_all(label, op, values)) graph.returns(v);
  return graph;
}

OpRun run_op_with_report(Executor& executor, const Op& op, const std::vector<Tensor>& operands,
                         const std::string& label, const std::vector<bool>& is_param) {
  TensorTypes types;
  Feeds feeds;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    types.push_back(operands[i].type());
    feeds.emplace(cat("x", i), operands[i]);
  }
  const Graph graph = graph_of(op, types, label, is_param);
  const auto executable = executor.compile(graph, feeds, {graph.results(), false});
  Tensors results = executable->run(feeds);
  OpRun run{{}, executable->nodes().at(0)};
  for (const Value v : graph.results()) run.outputs.push_back(std::move(results.at(v)));
  return run;
}

std::vector<Tensor> run_op(Executor& executor, const Op& op, const std::vector<Tensor>& operands) {
  return run_op_with_report(executor, op, operands).outputs;
}

OneAtATime::Run::Run(OneAtATime& of) : of_(of) {
  require(!of_.runs_.test_and_set(std::memory_order_acquire),
          "run by two threads at once: ", of_.rule_);
}

const Tensor& fed(const Graph& graph, const Feeds& feeds, Value value) {
  const bool is_input = value < graph.inputs().size();
  const std::string_view kind = is_input ? "input" : "param";
  const std::string& name = is_input ? graph.inputs()[value] : graph.params().at(value - graph.inputs().size());
  const auto found = feeds.find(name);
  require(found != feeds.end(), kind, " '", name, "' was not fed");
  require(found->second.type() == graph.type(value), kind, " '", name, "' is ", found->second.type(),
          ", the graph wants ", graph.type(value));
  return found->second;
}

}  // namespace plumb::ir
