// One ONNX node as converters see it: operands, attributes and results; and the scopes of names around it.
#pragma once

#include <onnx/onnx_pb.h>

#include <optional>
#include <span>

#include "ir/formats/onnx/draft.hpp"
#include "ir/formats/onnx/tensor_proto.hpp"

namespace plumb::ir::from_onnx {

class Importer;

/// The meaning of a name in the file: a tensor, or the failure that left none.
struct Named {
  std::optional<Ref> ref = {};
  std::optional<std::size_t> failure = {};  ///< the number that the importer has for it
};

/// Names in sight while a graph, a subgraph or a function is read.
struct Scope {
  const Scope* parent = nullptr;
  std::string prefix = {};  ///< begins the names of values made here
  std::map<std::string, std::int64_t, std::less<>> opsets = {};
  std::map<std::string, Named, std::less<>> values = {};
  std::set<std::string, std::less<>> absent = {};  ///< parameters of a function that were left out
  /// The attributes of the node whose function body this is.
  const std::map<std::string, const ::onnx::AttributeProto*, std::less<>>* arguments = nullptr;
  const ::onnx::GraphProto* graph = nullptr;  ///< that declares types of values made here
  std::size_t depth = 0;

  /// Null when nothing is called so.
  const Named* find(std::string_view name) const;
};

/// A tensor that could not be made because others could not.
struct ToldAlready {
  std::vector<std::size_t> failures = {};
  std::string message = {};  ///< an addition to the messages of the others; mostly empty
};

/// One node of the file while a converter turns it into ops.
class NodeReader {
 public:
  NodeReader(Importer& importer, const ::onnx::NodeProto& proto, Scope& scope);

  std::string_view op_type() const { return proto_.op_type(); }
  std::int64_t opset() const { return opset_; }
  const ::onnx::NodeProto& proto() const { return proto_; }
  /// Which of the file's nodes it is, from 0 on; those of loops and functions are counted each time.
  std::int64_t place() const;

  // Operands.
  std::size_t inputs() const { return operands_.size(); }
  bool has(std::size_t i) const { return i < operands_.size() && operands_[i].has_value(); }
  Ref in(std::size_t i) const;
  std::optional<Ref> maybe(std::size_t i) const { return has(i) ? operands_[i] : std::nullopt; }
  bool is_sequence(Ref ref) const;
  /// The elements of operand `i`, a sequence. Throws Unsupported when it is a tensor.
  std::vector<Ref> elements(std::size_t i) const;
  const TensorType& type(Ref ref) const;
  const Shape& shape(Ref ref) const { return type(ref).shape; }
  DType dtype(Ref ref) const { return type(ref).dtype; }
  /// The numbers, or null when they are not known before a run.
  const Tensor* value(Ref ref);
  /// The numbers where they follow from the file alone, or null.
  const Tensor* value_in_file(Ref ref) const;
  /// "; it depends on input 'x': give its value, ...", where some input that has none decides on this tensor; or "".
  std::string what_would_settle(Ref ref) const;
  /// The numbers of operand `i`. Throws Unsupported when they are not known before a run.
  const Tensor& known(std::size_t i, std::string_view what);
  std::vector<std::int64_t> known_ints(std::size_t i, std::string_view what);
  std::vector<double> known_reals(std::size_t i, std::string_view what);

  // Attributes.
  const ::onnx::AttributeProto* attribute(std::string_view name) const;
  std::int64_t integer(std::string_view name, std::optional<std::int64_t> otherwise = {}) const;
  /// Attributes of ONNX are f32, and so is what `otherwise` stands for, as its default.
  double real(std::string_view name, std::optional<double> otherwise = {}) const;
  std::string text(std::string_view name, std::string_view otherwise) const;
  /// A word that an enum of ours has, too.
  template <class E>
  E choice(std::string_view name, E otherwise) const {
    return choice_of<E>(name, text(name, enum_name(otherwise)));
  }
  template <class E>
  static E choice_of(std::string_view name, std::string word) {
    E value{};
    try {
      from_attribute(Attribute(std::move(word)), value);
    } catch (const Error& error) {
      fail("attribute '", name, "': ", error.what());
    }
    return value;
  }
  std::optional<std::vector<std::int64_t>> ints(std::string_view name) const;
  std::optional<std::vector<double>> reals(std::string_view name) const;
  Tensor tensor(std::string_view name) const;
  Tensor sparse_tensor(std::string_view name) const;
  /// Throws Unsupported when the node has an attribute that was not asked for and that the library does not know.
  void refuse_newer_attributes() const;
  /// Integers that newer opsets take as operand `i` and older ones as an attribute.
  std::optional<std::vector<std::int64_t>> ints_of(std::string_view name, std::size_t i);

  // Making ops.
  Ref add(const Op& op, const std::vector<Ref>& operands);
  std::vector<Ref> add_all(const Op& op, const std::vector<Ref>& operands);
  Ref constant(Tensor tensor);
  Ref constant(const std::vector<std::int64_t>& values);
  Ref sequence(std::vector<Ref> elements);
  /// One number of rank 0.
  Ref scalar(DType dtype, double value);
  Ref reshape(Ref x, const Shape& shape);
  Ref cast(Ref x, DType to);
  /// Asks for the memory of a tensor that follows from the file alone.
  void take(const TensorType& type);

  // Results.
  std::size_t outputs() const { return static_cast<std::size_t>(proto_.output_size()); }
  /// Whether anything reads result `k`.
  bool wants(std::size_t k) const;
  void out(std::size_t k, Ref ref);
  /// The one of several readings of an extent of output `k` that the file declares; the first where it declares none of
  /// them.
  std::int64_t declared_among(std::size_t k, std::size_t axis, std::span<const std::int64_t> readings) const;
  /// Says why result `k` is not read, where the others are.
  void refuse(std::size_t k, std::string_view why);

  /// Reads a subgraph here, its inputs bound to `operands`; returns its outputs.
  std::vector<Ref> subgraph(const ::onnx::GraphProto& graph, const std::vector<Ref>& operands,
                            const std::string& suffix);
  /// Reads a branch likewise, which has no inputs and may be taken.
  std::vector<Ref> branch(const ::onnx::GraphProto& graph, const std::string& suffix);
  const ::onnx::GraphProto& graph(std::string_view name) const;
  /// How many findings there are by now, in the whole model.
  std::size_t findings() const;

  template <class... Parts>
  [[noreturn]] static void unsupported(const Parts&... parts) {
    throw Unsupported(cat(parts...));
  }

 private:
  const ::onnx::AttributeProto* typed(std::string_view name, ::onnx::AttributeProto::AttributeType type) const;

  Importer& importer_;
  const ::onnx::NodeProto& proto_;
  Scope& scope_;
  std::int64_t opset_;
  std::size_t first_own_;  ///< tensors of the draft from here on are made by this node
  std::set<Ref> named_;    ///< those that this node names as its results
  std::vector<std::optional<Ref>> operands_;
  std::string label_;
  mutable std::set<std::string, std::less<>> asked_;  ///< names of attributes
};

/// How one operator is read, or why it is not.
struct Converter {
  std::string_view op_type;
  void (*convert)(NodeReader&);
  std::string_view why_not = {};  ///< where there is no `convert`
};

/// The converter of an operator by its name, with its domain and a dot in front of it
/// unless it is of the default domain; or null.
const Converter* find_converter(std::string_view op_type);

}  // namespace plumb::ir::from_onnx
