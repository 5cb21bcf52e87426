// Writes registered ops out as the ops that their bodies are made of.
#include "ir/passes/inline_bodies.hpp"

#include <algorithm>

#include "ir/ops/cast.hpp"

namespace plumb::ir::passes {
namespace {

/// Places the nodes of one body in the graph that is being made.
class Inlined {
 public:
  Inlined(const Graph& whole, const Node& node, Graph& next) : whole_(whole), node_(node), next_(next) {
    TensorTypes in;
    for (const Value v : node.inputs) in.push_back(whole.type(v));
    body_ = body_of(node.op.as<RegisteredOp>(), in);
    for (std::size_t i = 0; i < node.inputs.size(); ++i) known_.emplace(i, node.inputs[i]);
    for (std::size_t k = 0; k < node.outputs.size(); ++k) open_[body_->results()[k]].push_back(node.outputs[k]);
  }

  void place() {
    for (const Node& inner : body_->nodes()) place(inner);
    // Results that are left are operands, parts of what an inner node gives, or there twice.
    for (const auto& [from, results] : open_)
      for (const Value v : results)
        next_.place(whole_.name(v), ops::Cast{whole_.type(v).dtype}, {known_.at(from)}, {v});
  }

 private:
  void place(const Node& inner) {
    std::vector<Value> operands;
    for (const Value v : inner.inputs) operands.push_back(known_.at(v));
    const bool gives_results =
        std::ranges::all_of(inner.outputs, [this](Value v) { return open_.contains(v) && !open_.at(v).empty(); });
    std::vector<Value> made;
    if (gives_results) {
      for (const Value v : inner.outputs) {
        made.push_back(open_.at(v).front());
        open_.at(v).erase(open_.at(v).begin());
      }
      next_.place(whole_.name(made[0]), inner.op, operands, made);
    } else {
      made = next_.add_all(free_label(node_.label + "/" + inner.label), inner.op, operands);
    }
    for (std::size_t k = 0; k < made.size(); ++k) known_.emplace(inner.outputs[k], made[k]);
  }

  /// The original's later names are taken, too.
  std::string free_label(std::string label) const {
    while (whole_.find(label) || next_.find(label)) label += '\'';
    return label;
  }

  const Graph& whole_;
  const Node& node_;
  Graph& next_;
  std::shared_ptr<const Graph> body_;
  std::map<Value, Value> known_;              ///< by the body's value
  std::map<Value, std::vector<Value>> open_;  ///< by the body's value, the results that are not placed yet
};

}  // namespace

bool has_body(const Node& node) {
  const DeclaredOp* const op = registered(node.op);
  return op != nullptr && op->code.body;
}

bool has_bodies(const Graph& graph) {
  return std::ranges::any_of(graph.nodes(), [](const Node& node) { return has_body(node); });
}

Graph inline_bodies(const Graph& graph) {
  Graph next = graph.sources();
  for (const Node& node : graph.nodes())
    if (has_body(node))
      Inlined(graph, node, next).place();
    else
      next.place(node.label, node.op, node.inputs, node.outputs);
  for (const Value v : graph.results()) next.returns(v);
  if (has_bodies(next)) return inline_bodies(next);  // a body may be made of other registered ops
  return next;
}

}  // namespace plumb::ir::passes
