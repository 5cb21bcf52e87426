#include "ir/executor.hpp"

namespace plumb::ir {

const Tensor& fed(const Graph& graph, const Feeds& feeds, Value value) {
  const std::string kind = value < graph.inputs().size() ? "input" : "param";
  const std::string name = graph.name(value);
  const auto found = feeds.find(name);
  require(found != feeds.end(), kind, " '", name, "' was not fed");
  require(found->second.type() == graph.type(value), kind, " '", name, "' is ", found->second.type(),
          ", the graph wants ", graph.type(value));
  return found->second;
}

}  // namespace plumb::ir
