// One node of a graph as operators of ONNX: what the writers of ops have to hand.
#pragma once

#include <onnx/onnx_pb.h>

#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/executor.hpp"
#include "ir/formats/onnx/write/operators.hpp"

namespace plumb::ir::to_onnx {

using Names = std::vector<std::string>;
using Numbers = std::vector<std::int64_t>;

/// Whether the params that a model will store are known now.
enum class Params { stored, later };

/// A model that is being made from a graph.
class ModelWriter {
 public:
  /// Params that `stored` has are tensors of the model. Both must outlive this.
  ModelWriter(const Graph& graph, const Feeds& stored, Params params);

  ::onnx::NodeProto& add_node(std::string_view op, DType dtype);
  /// A name that no value has.
  std::string free_name(const std::string& label);
  /// Keeps a tensor in the model, under that name. Throws Unsupported where that makes it too large for a file.
  void store(const std::string& name, const TensorView& tensor);
  /// As store, for the tensor of an attribute.
  void fill(::onnx::TensorProto& proto, const TensorView& tensor);

  /// Whether numbers that the model will hold are so: those of a stored param, or a constant. False of values that are
  /// not known; true where the params come later.
  bool holds(Value value, const std::function<bool(const Tensor&)>& are_so) const;

  /// Writes inputs, params, results, the types of values, and the opset, behind the nodes.
  void finish();

  void require_opset(std::int64_t opset) { opset_ = std::max(opset_, opset); }
  void require_room(std::uint64_t bytes) const;
  const Graph& graph() const { return graph_; }
  std::string bytes() const;

 private:
  const Graph& graph_;
  const Feeds& stored_;
  const Params params_;
  ::onnx::ModelProto proto_;
  std::int64_t opset_;
  std::uint64_t bytes_ = 0;
  std::set<std::string, std::less<>> names_;  ///< empty until another one is needed
};

/// The attributes of an operator.
class Attributes {
 public:
  Attributes(::onnx::NodeProto& proto, DType dtype) : proto_(&proto), dtype_(dtype) {}

  const Attributes& integer(std::string_view name, std::int64_t value) const;
  const Attributes& integers(std::string_view name, const Numbers& values) const;
  const Attributes& text(std::string_view name, std::string_view value) const;
  const Attributes& texts(std::string_view name, const Names& values) const;
  /// Attributes of ONNX are f32. So are those of ops, but where they compute in f64 (ops.md 1.3): throws NoOperator for
  /// one that f32 does not hold then.
  const Attributes& real(std::string_view name, double value) const;

 private:
  ::onnx::NodeProto* proto_;
  DType dtype_;
};

/// A node that is being written.
class NodeWriter {
 public:
  NodeWriter(ModelWriter& model, const Node& node) : model_(model), node_(node) {}

  std::size_t inputs() const { return node_.inputs.size(); }
  std::size_t outputs() const { return node_.outputs.size(); }
  const TensorType& type(std::size_t i) const { return model_.graph().type(node_.inputs.at(i)); }
  const TensorType& result_type(std::size_t k = 0) const { return model_.graph().type(node_.outputs.at(k)); }
  const Shape& shape(std::size_t i) const { return type(i).shape; }
  /// The first operand's dtype, or that of the result where there is none.
  DType dtype() const { return inputs() > 0 ? type(0).dtype : result_type().dtype; }
  /// Whether that has 16 bits, where ops compute in 32 and round once (ops.md 1.2).
  bool is_narrow() const { return dtype() == DType::f16 || dtype() == DType::bf16; }
  DType compute_dtype() const { return is_narrow() ? DType::f32 : dtype(); }

  std::string in(std::size_t i) const { return model_.graph().name(node_.inputs.at(i)); }
  Names ins() const;
  std::string out(std::size_t k = 0) const { return model_.graph().name(node_.outputs.at(k)); }

  /// An operator on operands of `dtype`, by which its opset is chosen. Throws NoOperator.
  Attributes add(std::string_view op, DType dtype, const Names& operands, const Names& results);
  Attributes add(std::string_view op, const Names& operands, const Names& results) {
    return add(op, dtype(), operands, results);
  }
  /// An operator on the node's own operands, for its own results.
  Attributes add(std::string_view op) { return add(op, ins(), outs()); }

  /// A name for a value between operators.
  std::string between() { return model_.free_name(node_.label + "/onnx"); }
  std::string stored(const Tensor& tensor);
  /// Whole numbers in a tensor of rank 1, and one in a tensor of rank 0.
  std::string stored(const Numbers& values);
  std::string stored_number(std::int64_t value) { return stored(Tensor::of<std::int64_t>({}, {value})); }
  /// A tensor filled with one number.
  std::string filled(const TensorType& type, double value);
  std::string cast(const std::string& value, DType from, DType to);
  /// Operand i in f32 if it has 16 bits.
  std::string wide(std::size_t i);
  /// Operand i, a tensor of indices, in i64.
  std::string as_i64(std::size_t i);
  /// Has `write` write a result in another dtype, and casts that to the result's where they differ.
  void cast_result(std::size_t k, DType made, const std::function<void(const std::string&)>& write);
  /// Result k, which `write` makes in f32 if it has 16 bits.
  void rounded(const std::function<void(const std::string&)>& write) { cast_result(0, compute_dtype(), write); }

  void constant(const Tensor& tensor);
  /// Throws Unsupported where so many bytes more do not fit into the model.
  void require_room(std::uint64_t bytes) const { model_.require_room(bytes); }
  void require_opset(std::int64_t opset) { model_.require_opset(opset); }
  /// Throws NoOperator, with these words, unless what is known of operand i is so.
  void require_known(std::size_t i, const std::function<bool(const Tensor&)>& are_so, std::string_view words) const;
  template <class... Parts>
  [[noreturn]] static void refuse(const Parts&... parts) {
    throw NoOperator(cat(parts...));
  }

 private:
  Names outs() const;

  ModelWriter& model_;
  const Node& node_;
};

/// Writes the nodes of one op type.
struct Writer {
  const OpSchema& (*schema)();
  void (*write)(const Op&, NodeWriter&);
};

template <class T, void (*write)(const T&, NodeWriter&)>
constexpr Writer writer = {&schema<T>, [](const Op& op, NodeWriter& node) { write(op.as<T>(), node); }};

}  // namespace plumb::ir::to_onnx
