#include <set>

#include "ir/graph.hpp"

namespace plumb::ir {
namespace {

/// What verify has seen so far while it walks the nodes in order.
struct Walk {
  const Graph& graph;
  std::vector<bool> ready;
  std::set<std::string, std::less<>> names;
  std::vector<std::string> errors = {};

  template <class... Parts>
  void expect(bool holds, const Parts&... parts) {
    if (!holds) errors.push_back(cat(parts...));
  }
};

void check_node(Walk& walk, const Node& node) {
  const auto where = cat("node '", node.label, "' (", node.op.name(), "): ");
  walk.expect(walk.names.insert(node.label).second, where, "its name is used twice");
  TensorTypes in;
  for (const Value v : node.inputs) {
    if (v < walk.ready.size() && walk.ready[v])
      in.push_back(walk.graph.type(v));
    else
      walk.expect(false, where, "reads value ", v, ", which is not computed before it");
  }
  for (const Value v : node.outputs) {
    const bool is_free = v < walk.ready.size() && !walk.ready[v];
    walk.expect(is_free, where, "computes value ", v, ", which is not free");
    if (is_free) walk.ready[v] = true;
  }
  if (in.size() != node.inputs.size()) return;
  try {
    const auto out = infer(node.op, in);
    walk.expect(out.size() == node.outputs.size(), where, "computes ", out.size(), " values, has ",
                node.outputs.size());
    for (std::size_t k = 0; k < std::min(out.size(), node.outputs.size()); ++k)
      walk.expect(out[k] == walk.graph.type(node.outputs[k]), where, "output ", k, " is ",
                  walk.graph.type(node.outputs[k]), ", inferred ", out[k]);
  } catch (const Error& error) {
    walk.errors.push_back(cat(where, error.what()));
  }
}

}  // namespace

std::vector<std::string> verify(const Graph& graph) {
  Walk walk{graph, std::vector<bool>(graph.value_count(), false), {}};
  for (Value v = 0; graph.is_source(v); ++v) {
    walk.expect(walk.names.insert(graph.name(v)).second, "source '", graph.name(v), "': its name is used twice");
    walk.ready[v] = true;
    try {
      check_type(graph.type(v));
    } catch (const Error& error) {
      walk.errors.push_back(cat("source '", graph.name(v), "': ", error.what()));
    }
  }
  for (const Node& node : graph.nodes()) check_node(walk, node);
  for (const Value v : graph.results())
    walk.expect(v < walk.ready.size() && walk.ready[v], "the graph returns value ", v, ", which no node computes");
  return walk.errors;
}

void require_valid(const Graph& graph) {
  const auto errors = verify(graph);
  if (errors.empty()) return;
  std::string all = errors[0];
  for (std::size_t i = 1; i < errors.size(); ++i) all += "\n" + errors[i];
  throw Error(all);
}

}  // namespace plumb::ir
