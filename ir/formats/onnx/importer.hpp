#pragma once

#include "ir/formats/onnx/node_reader.hpp"

namespace plumb::ir::from_onnx {

/// A name as it may be shown: control characters and broken UTF-8 replaced, not too long.
std::string clean(std::string_view name);

/// "f32[batch, 3, 224, 224]", "sequence", ...
std::string type_text(const ::onnx::TypeProto& type);

/// Reads one model; node after node, each by its converter.
class Importer {
 public:
  Importer(const ::onnx::ModelProto& model, const std::filesystem::path& directory,
           const formats::OnnxOptions& options);

  formats::OnnxModel read();

  Draft& draft() { return draft_; }
  TensorReader& tensors() { return tensors_; }
  /// How many nodes were begun, those of loops and functions counted each time: no two nodes see the same.
  std::size_t visited() const { return visited_; }

  /// The outputs of a subgraph read into the draft. Throws ToldAlready when one of its
  /// nodes could not be read.
  std::vector<Ref> read_subgraph(const ::onnx::GraphProto& graph, const std::vector<Ref>& operands, const Scope& outer,
                                 std::string prefix);

 private:
  void read_inputs(Scope& scope);
  void read_initializers(const ::onnx::GraphProto& graph, Scope& scope);
  void read_node(const ::onnx::NodeProto& node, Scope& scope);
  void convert(const ::onnx::NodeProto& node, Scope& scope);
  void inline_function(const ::onnx::NodeProto& node, const ::onnx::FunctionProto& function, Scope& scope);
  bool inline_schema(const ::onnx::NodeProto& node, Scope& scope);
  const ::onnx::FunctionProto* find_function(const ::onnx::NodeProto& node) const;
  TensorType input_type(const ::onnx::ValueInfoProto& input);
  std::int64_t extent_of(const ::onnx::TensorShapeProto_Dimension& dimension);
  void learn_symbols();
  void note(const std::string& message, bool is_unsupported);
  void throw_if_any() const;

  const ::onnx::ModelProto& model_;
  const formats::OnnxOptions& options_;
  TensorReader tensors_;
  Draft draft_;
  std::map<std::string, std::int64_t, std::less<>> symbols_;
  std::string findings_;
  std::size_t finding_count_ = 0;
  std::size_t visited_ = 0;  ///< nodes, those of loops and functions counted each time
  bool all_unsupported_ = true;
};

}  // namespace plumb::ir::from_onnx
