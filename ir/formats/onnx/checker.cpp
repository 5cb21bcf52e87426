// ONNX's checker over a model, and over the branches that may be taken where some branch does not pass.
#include "ir/formats/onnx/checker.hpp"

#include <onnx/common/constants.h>
#include <onnx/defs/schema.h>

#include <unordered_map>

#include "ir/formats/onnx/names.hpp"
#include "ir/formats/onnx/tensor_proto.hpp"

namespace plumb::ir::from_onnx {
namespace {

/// The checker's message on one line: its lines without "==> " before them, made safe to show, joined by "; ".
std::string on_one_line(std::string_view text) {
  std::string line;
  while (!text.empty()) {
    std::string_view part = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    constexpr std::string_view arrow = "==> ";
    if (part.starts_with(arrow)) part.remove_prefix(arrow.size());
    part.remove_prefix(std::min(part.find_first_not_of(" \t"), part.size()));
    if (!part.empty()) line += (line.empty() ? "" : "; ") + clean(part);
  }
  return line;
}

/// Open shapes of inputs and outputs, which ONNX allows and its checker does not take: empty while this lives.
class ClosedShapes {
 public:
  explicit ClosedShapes(::onnx::GraphProto& graph) {
    for (auto* const values : {graph.mutable_input(), graph.mutable_output()})
      for (auto& value : *values)
        if (value.type().has_tensor_type() && !value.type().tensor_type().has_shape())
          opened_.push_back(value.mutable_type()->mutable_tensor_type());
    for (auto* const type : opened_) type->mutable_shape();
  }
  ~ClosedShapes() {
    for (auto* const type : opened_) type->clear_shape();
  }
  ClosedShapes(const ClosedShapes&) = delete;
  ClosedShapes& operator=(const ClosedShapes&) = delete;

 private:
  std::vector<::onnx::TypeProto::Tensor*> opened_;
};

/// A tensor type of the graph or of its subgraphs that the library is too old to know; 0 where there is none.
std::int32_t newer_type(const ::onnx::GraphProto& graph) {
  std::int32_t found = 0;
  const auto look_at = [&](const ::onnx::TensorProto& tensor) {
    if (!::onnx::TensorProto::DataType_IsValid(tensor.data_type())) found = tensor.data_type();
  };
  for (const auto& tensor : graph.initializer()) look_at(tensor);
  for (const auto& node : graph.node())
    for (const auto& attribute : node.attribute()) {
      look_at(attribute.t());
      if (attribute.has_g() && found == 0) found = newer_type(attribute.g());
    }
  return found;
}

/// The opsets of the default domain and others that ONNX's checker is to go by.
std::unordered_map<std::string, int> opsets_of(const ::onnx::ModelProto& model) {
  std::unordered_map<std::string, int> opsets;
  for (const auto& import : model.opset_import())
    opsets[domain_of(import.domain())] = static_cast<int>(import.version());
  if (model.ir_version() < 3) opsets.emplace("", 1);
  return opsets;
}

/// The limit of ONNX's checker that this model exceeds, in words; empty where there is none.
std::string unknown_to_checker(const ::onnx::ModelProto& model) {
  if (model.ir_version() > ::onnx::Version::IR_VERSION)
    return cat("IR versions to ", int{::onnx::Version::IR_VERSION}, ": the file has ", model.ir_version());
  const auto known = ::onnx::OpSchemaRegistry::DomainToVersionRange::Instance().Map().at("").second;
  const auto opsets = opsets_of(model);
  if (const auto found = opsets.find(""); found != opsets.end() && found->second > known)
    return cat("opsets to ", known, ": the file has ", found->second);
  for (const auto& node : model.graph().node())  // onnxruntime writes it into ONNX's domain
    if (node.domain().empty() && node.op_type() == "SimplifiedLayerNormalization")
      return cat("no ", node.op_type());
  if (const auto type = newer_type(model.graph()); type != 0)
    return cat("older tensors than those of ", type_name(type));
  return "";
}

/// Names the default domain "" everywhere, for which ONNX's checker does not take its other name.
void name_default_domain(::onnx::GraphProto& graph) {
  for (auto& node : *graph.mutable_node()) {
    if (is_default(node.domain())) node.clear_domain();
    for (auto& attribute : *node.mutable_attribute())
      if (attribute.has_g()) name_default_domain(*attribute.mutable_g());
  }
}

/// Leaves of every branch only its name.
void empty_branches(::onnx::GraphProto& graph) {
  for (auto& node : *graph.mutable_node())
    for (auto& attribute : *node.mutable_attribute()) {
      if (!attribute.has_g()) continue;
      if (node.op_type() != "If") {
        empty_branches(*attribute.mutable_g());
        continue;
      }
      ::onnx::GraphProto empty;
      empty.set_name(attribute.g().name());
      attribute.mutable_g()->Swap(&empty);
    }
}

/// The checker's objection to a graph; nothing where it has none.
std::optional<std::string> problem_of(const ::onnx::GraphProto& graph, const ::onnx::checker::CheckerContext& context,
                                      std::span<const std::string> names) {
  ::onnx::checker::LexicalScopeContext in_sight;
  for (const std::string& name : names) in_sight.add(name);
  try {
    ::onnx::checker::check_graph(graph, context, in_sight);
  } catch (const std::exception& problem) {
    return on_one_line(problem.what());
  }
  return std::nullopt;
}

}  // namespace

Checker::Checker(::onnx::ModelProto& model, const std::filesystem::path& directory) {
  name_default_domain(*model.mutable_graph());
  if (const auto unknown = unknown_to_checker(model); !unknown.empty()) {
    note_ = cat("not checked by ONNX's checker, which knows ", unknown);
    return;
  }
  context_.set_ir_version(static_cast<int>(model.ir_version()));
  context_.set_opset_imports(opsets_of(model));
  context_.set_model_dir(directory.string());
  const ClosedShapes closed(*model.mutable_graph());
  const auto problem = problem_of(model.graph(), context_, {});
  if (!problem) return;
  ::onnx::GraphProto graph = model.graph();
  empty_branches(graph);
  if (problem_of(graph, context_, {})) fail("ONNX's checker: ", *problem);
  has_wrong_branches_ = true;
  note_ = cat("a branch that is not taken does not pass ONNX's checker: ", *problem);
}

void Checker::check_branch(const ::onnx::GraphProto& branch, std::span<const std::string> names) const {
  ::onnx::GraphProto graph = branch;
  empty_branches(graph);
  if (const auto problem = problem_of(graph, context_, names)) fail("ONNX's checker: ", *problem);
}

}  // namespace plumb::ir::from_onnx
