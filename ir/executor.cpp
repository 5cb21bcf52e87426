#include "ir/executor.hpp"

namespace plumb::ir {

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
