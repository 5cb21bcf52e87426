#pragma once

#include "ir/formats/onnx/aliases.hpp"
#include "ir/formats/onnx/checker.hpp"
#include "ir/formats/onnx/extents.hpp"
#include "ir/formats/onnx/needed.hpp"
#include "ir/formats/onnx/node_reader.hpp"

namespace plumb::ir::from_onnx {

/// Reads one model; node after node, each by its converter. What cannot be read is an error only where an output of the
/// model needs it.
class Importer {
 public:
  /// All must outlive it; `unread` are the results in the model that nothing reads.
  Importer(const ::onnx::ModelProto& model, const Unread& unread, const std::filesystem::path& directory,
           const formats::OnnxOptions& options, const Checker& checker);

  formats::OnnxModel read();

  Draft& draft() { return draft_; }
  TensorReader& tensors() { return tensors_; }
  /// How many nodes were begun, those of loops and functions counted each time: no two nodes see the same.
  std::size_t visited() const { return visited_; }
  /// How many nodes and tensors there are by now that could not be read by their own fault.
  std::size_t findings() const { return findings_; }
  /// Whether nothing reads the result of a node of the model whose name this is.
  bool is_unread(const std::string& name) const { return unread_.contains(&name); }
  /// Notes why result `k` of a node is not read.
  void fail_result(const ::onnx::NodeProto& node, std::size_t k, Scope& scope, std::string_view why);

  /// Has ONNX's checker look at a branch that may be taken, where it refuses some branch. Throws Error as it does.
  void check_branch(const ::onnx::GraphProto& branch, const Scope& outer) const;
  /// The outputs of a subgraph read into the draft. Throws ToldAlready when one of its
  /// nodes could not be read.
  std::vector<Ref> read_subgraph(const ::onnx::GraphProto& graph, const std::vector<Ref>& operands, const Scope& outer,
                                 std::string prefix);

 private:
  /// Why something has no tensor: a message, or others that have none.
  struct Failure {
    std::string message;
    bool is_unsupported = true;
    std::vector<std::size_t> causes = {};
  };

  void read_inputs(Scope& scope);
  void read_input(const ::onnx::ValueInfoProto& input, Scope& scope);
  void read_initializers(const ::onnx::GraphProto& graph, Scope& scope);
  void read_node(const ::onnx::NodeProto& node, Scope& scope);
  void convert(const ::onnx::NodeProto& node, Scope& scope);
  /// How the operands of a node break ONNX's rules of types; empty where they do not.
  std::string broken_rule(const ::onnx::NodeProto& node, Scope& scope);
  void inline_function(const ::onnx::NodeProto& node, const ::onnx::FunctionProto& function, Scope& scope);
  bool inline_schema(const ::onnx::NodeProto& node, Scope& scope);
  const ::onnx::FunctionProto* find_function(const ::onnx::NodeProto& node) const;
  bool is_given(const std::string& name) const {
    return options_.given.contains(name) || options_.spread.contains(name);
  }
  bool is_input(const std::string& name) const;
  const Tensor* given_to(const std::string& name, const TensorType& type);
  Tensor initial_value(const std::string& name, Tensor in_file);
  void take_given(formats::OnnxModel& model) const;
  void learn_opsets(Scope& scope);
  void learn_names(const Scope& scope, const std::vector<std::optional<Value>>& values,
                   formats::OnnxModel& model) const;
  /// Notes the names of a subgraph that was read.
  void learn_inner_names(const Scope& scope);

  std::size_t add_failure(Failure failure);
  std::size_t add_failure(const std::string& message, bool is_unsupported);
  /// A failure that is told whether an output needs it or not.
  void tell(const std::string& message, bool is_unsupported);
  /// Throws what is to be told, and what the outputs lack.
  void throw_if_any() const;

  const ::onnx::ModelProto& model_;
  const Unread& unread_;
  const formats::OnnxOptions& options_;
  const Checker& checker_;
  const Extents extents_;
  TensorReader tensors_;
  std::map<std::string, Tensor, std::less<>> spread_;  ///< options_.spread in the shapes of the inputs
  Draft draft_;
  std::vector<Failure> failures_;
  std::size_t findings_ = 0;       ///< failures that have a message
  std::vector<std::size_t> told_;  ///< failures to be told
  std::size_t visited_ = 0;        ///< nodes, those of loops and functions counted each time
  /// Tensors of subgraphs of the model by their names there; nothing for a name that stands for several, as that of a
  /// value of a loop's body does.
  NamedRefs inner_;
};

}  // namespace plumb::ir::from_onnx
