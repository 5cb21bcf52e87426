// Replaces f32 by f16 or bf16 in a graph and its feeds; constants and ops that have no such form stay in f32, and casts
// stand between them and the rest.
#include "ir/passes/convert_dtype.hpp"

#include <algorithm>
#include <map>

#include "ir/ops/cast.hpp"

namespace plumb::ir::passes {
namespace {

Op converted(const Op& op, DType to) {
  return with_dtypes(op, [to](DType dtype) { return dtype == DType::f32 ? to : dtype; });
}

void require_narrow(DType to) {
  require(to == DType::f16 || to == DType::bf16, "f32 can be converted to f16 or bf16, not to ", to);
}

/// Places nodes in the graph that is being made, where every value that was f32 is `to`.
class Conversion {
 public:
  Conversion(const Graph& graph, Graph& next, DType to) : graph_(graph), next_(next), to_(to) {}

  void place(const Node& node) {
    const bool stays = node.op.schema().makes_values || !has_form(node);
    const Op op = stays ? node.op : converted(node.op, to_);
    std::vector<Value> operands = node.inputs;
    if (stays) std::ranges::transform(operands, operands.begin(), [this](Value v) { return in_f32(v); });
    if (gives_f32(node, op, operands))
      place_before_casts(node, op, operands);
    else
      next_.place(node.label, op, operands, node.outputs);
  }

 private:
  bool was_f32(Value v) const { return graph_.type(v).dtype == DType::f32; }

  /// Whether the op takes `to` for every operand that was f32.
  bool has_form(const Node& node) const {
    if (!goes_with_others(node)) return false;
    const OpSchema& schema = node.op.schema();
    const auto names = schema.operands(node.op, node.inputs.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto input = std::ranges::find(schema.inputs, names[i], &Input::name);
      if (was_f32(node.inputs[i]) && !input->dtypes.contains(to_)) return false;
    }
    return true;
  }

  /// Whether it takes `to` beside the 16-bit floats that it has anyway: attention has caches of either beside f32 only.
  bool goes_with_others(const Node& node) const {
    TensorTypes in;
    bool has_others = false;
    for (const Value v : node.inputs) {
      in.push_back(next_.type(v));
      has_others =
          has_others || (in.back().dtype != to_ && (in.back().dtype == DType::f16 || in.back().dtype == DType::bf16));
    }
    if (!has_others) return true;
    try {
      infer(converted(node.op, to_), in);
      return true;
    } catch (const Error&) {
      return false;
    }
  }

  /// As it is where it was not f32. One op that stays in f32 hands its results to another unrounded.
  Value in_f32(Value v) {
    if (!was_f32(v)) return v;
    const auto found = in_f32_.find(v);
    if (found != in_f32_.end()) return found->second;
    const Value wide = next_.add(free_name(graph_, graph_.name(v) + ".f32"), ops::Cast{DType::f32}, {v});
    return in_f32_.emplace(v, wide).first->second;
  }

  bool gives_f32(const Node& node, const Op& op, const std::vector<Value>& operands) const try {
    TensorTypes in;
    for (const Value v : operands) in.push_back(next_.type(v));
    return std::ranges::any_of(infer(op, in), [](const TensorType& type) { return type.dtype == DType::f32; });
  } catch (const Error& error) {
    fail("node '", node.label, "' (", op.name(), "): ", error.what());
  }

  /// Every result gets its name and number behind a cast, which changes nothing of one that was not f32.
  void place_before_casts(const Node& node, const Op& op, const std::vector<Value>& operands) {
    const std::vector<Value> made = next_.add_all(free_name(graph_, node.label + ".f32"), op, operands);
    for (std::size_t k = 0; k < made.size(); ++k) {
      const Value v = node.outputs[k];
      next_.place(graph_.name(v), ops::Cast{was_f32(v) ? to_ : graph_.type(v).dtype}, {made[k]}, {v});
      if (was_f32(v)) in_f32_.emplace(v, made[k]);
    }
  }

  const Graph& graph_;
  Graph& next_;
  const DType to_;
  std::map<Value, Value> in_f32_;
};

}  // namespace

void map_dtypes(const OpSchema& schema, Attributes& attributes, const std::function<DType(DType)>& map) {
  for (const FieldInfo& field : schema.fields()) {
    if (field.kind != "dtype" && field.kind != "dtype?") continue;
    const auto found = attributes.find(field.name);
    if (found == attributes.end()) continue;
    auto& name = std::get<std::string>(found->second);
    name = info(map(*find_dtype(name))).name;
  }
}

Op with_dtypes(const Op& op, const std::function<DType(DType)>& map) {
  Attributes attributes = op.attributes();
  map_dtypes(op.schema(), attributes, map);
  return op.schema().read(attributes);
}

Graph as_dtype(const Graph& graph, DType to) {
  require_narrow(to);
  Graph next = graph.sources([to](const TensorType& type) {
    return type.dtype == DType::f32 ? TensorType{to, type.shape} : type;
  });
  Conversion conversion(graph, next, to);
  for (const Node& node : graph.nodes()) conversion.place(node);
  for (const Value value : graph.results()) next.returns(value);
  return next;
}

Feeds as_dtype(const Feeds& feeds, DType to) {
  require_narrow(to);
  Feeds next;
  for (const auto& [name, tensor] : feeds)
    next.emplace(name, tensor.dtype() == DType::f32 ? convert(tensor, to) : tensor);
  return next;
}

}  // namespace plumb::ir::passes
