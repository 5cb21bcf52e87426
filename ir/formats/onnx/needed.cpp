#include "ir/formats/onnx/needed.hpp"

#include <algorithm>

namespace plumb::ir::from_onnx {
namespace {

using Names = std::set<std::string, std::less<>>;

/// Removes the elements that `is_kept` does not want; the others stay in order, and where they are in memory.
template <class Element, class IsKept>
void keep(google::protobuf::RepeatedPtrField<Element>& elements, IsKept is_kept) {
  int kept = 0;
  for (int i = 0; i < elements.size(); ++i)
    if (is_kept(elements.Get(i), i)) elements.SwapElements(kept++, i);
  elements.DeleteSubrange(kept, elements.size() - kept);
}

class Pruner {
 public:
  explicit Pruner(Unread& unread) : unread_(unread) {}

  /// Keeps the nodes that make what is `needed`, and adds what they need.
  void nodes(google::protobuf::RepeatedPtrField<::onnx::NodeProto>& nodes, Names& needed) {
    std::vector<bool> is_live(static_cast<std::size_t>(nodes.size()));
    for (int n = nodes.size(); n-- > 0;) {  // whoever reads comes after what it reads
      ::onnx::NodeProto& node = *nodes.Mutable(n);
      const auto is_needed = [&](const std::string& name) { return !name.empty() && needed.contains(name); };
      if (!std::ranges::any_of(node.output(), is_needed)) continue;
      is_live[static_cast<std::size_t>(n)] = true;
      for (const std::string& name : node.output())
        if (!is_needed(name)) unread_.insert(&name);
      needed.insert(node.input().begin(), node.input().end());
      for (auto& attribute : *node.mutable_attribute()) {
        if (attribute.has_g()) graph(*attribute.mutable_g(), needed, {});
        for (auto& inner : *attribute.mutable_graphs()) graph(inner, needed, {});
      }
    }
    keep(nodes, [&](const auto&, int n) { return is_live[static_cast<std::size_t>(n)]; });
  }

  /// Keeps what the outputs of a graph need, and of the initialisers also those called as in `defaults`; adds what it
  /// needs of the graphs around it.
  void graph(::onnx::GraphProto& graph, Names& around, const Names& defaults) {
    Names needed;
    for (const auto& output : graph.output()) needed.insert(output.name());
    nodes(*graph.mutable_node(), needed);
    const auto is_kept = [&](const std::string& name) { return needed.contains(name) || defaults.contains(name); };
    keep(*graph.mutable_initializer(), [&](const auto& tensor, int) { return is_kept(tensor.name()); });
    keep(*graph.mutable_sparse_initializer(), [&](const auto& tensor, int) { return is_kept(tensor.values().name()); });
    around.insert(needed.begin(), needed.end());  // its own names, too, which are no others' by the rules of ONNX
  }

 private:
  Unread& unread_;
};

}  // namespace

Unread keep_what_outputs_need(::onnx::ModelProto& model) {
  Unread unread;
  Pruner pruner(unread);
  Names inputs, none;
  for (const auto& input : model.graph().input()) inputs.insert(input.name());
  pruner.graph(*model.mutable_graph(), none, inputs);
  for (auto& function : *model.mutable_functions()) {
    Names needed(function.output().begin(), function.output().end());
    pruner.nodes(*function.mutable_node(), needed);
  }
  return unread;
}

}  // namespace plumb::ir::from_onnx
