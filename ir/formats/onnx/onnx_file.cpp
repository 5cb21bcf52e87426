// ONNX files: parsed by protobuf, checked by ONNX's checker where it knows the version, read or only described.
#include "ir/formats/onnx/onnx_file.hpp"

#include <google/protobuf/io/coded_stream.h>
#include <onnx/checker.h>
#include <onnx/common/constants.h>

#include "ir/files/read_file.hpp"
#include "ir/formats/onnx/importer.hpp"
#include "ir/formats/onnx/names.hpp"

namespace plumb::ir::formats {
namespace {

using from_onnx::clean;

constexpr std::uint64_t most_file_bytes = (std::uint64_t{1} << 31) - 1;  ///< what protobuf can read

/// Parses a message as a whole; nesting is bounded by protobuf's own limit of 100.
template <class Message>
bool parse(std::string_view bytes, Message& message) {
  if (bytes.size() > most_file_bytes) return false;
  google::protobuf::io::CodedInputStream input(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                               static_cast<int>(bytes.size()));
  return message.ParseFromCodedStream(&input) && input.ConsumedEntireMessage();
}

void count_ops(const google::protobuf::RepeatedPtrField<::onnx::NodeProto>& nodes, OnnxFacts& facts) {
  for (const auto& node : nodes) {
    ++facts.ops[(from_onnx::is_default(node.domain()) ? "" : clean(node.domain()) + ".") + clean(node.op_type())];
    for (const auto& attribute : node.attribute()) {
      if (attribute.has_g()) count_ops(attribute.g().node(), facts);
      for (const auto& graph : attribute.graphs()) count_ops(graph.node(), facts);
    }
  }
}

OnnxValue describe(const ::onnx::ValueInfoProto& value) {
  const auto& type = value.type();
  const bool is_tensor = type.has_tensor_type() && type.tensor_type().elem_type() != ::onnx::TensorProto::STRING;
  OnnxValue described{clean(value.name()), from_onnx::type_text(type), is_tensor};
  described.key = value.name();
  described.has_nameless = !type.tensor_type().has_shape();
  for (const auto& dimension : type.tensor_type().shape().dim())
    if (!dimension.dim_param().empty())
      described.symbols.push_back(dimension.dim_param());
    else
      described.has_nameless |= !dimension.has_dim_value();
  return described;
}

OnnxFacts facts_of(const ::onnx::ModelProto& model) {
  OnnxFacts facts;
  facts.producer = model.producer_name().empty() ? "" : clean(model.producer_name());
  facts.ir_version = model.ir_version();
  facts.opset = 1;
  for (const auto& import : model.opset_import())
    if (from_onnx::is_default(import.domain())) facts.opset = import.version();
  std::set<std::string> initialised;
  for (const auto& tensor : model.graph().initializer()) initialised.insert(tensor.name());
  for (const auto& tensor : model.graph().sparse_initializer()) initialised.insert(tensor.values().name());
  for (const auto& input : model.graph().input()) {
    facts.all_inputs.push_back(input.name());
    if (!initialised.contains(input.name())) facts.inputs.push_back(describe(input));
  }
  for (const auto& output : model.graph().output()) facts.outputs.push_back(describe(output));
  count_ops(model.graph().node(), facts);
  for (const auto& function : model.functions()) count_ops(function.node(), facts);
  return facts;
}

::onnx::ModelProto parse_model(std::string_view bytes) {
  ::onnx::ModelProto model;
  require(parse(bytes, model), "is not an ONNX model: its bytes are damaged, or of something else");
  require(model.has_graph(), "is not an ONNX model: it has no graph");
  require(model.ir_version() > 0, "has no ir_version, which every ONNX model states");
  return model;
}

/// What the checker says, in lines with empty ones between them ("==> Context: ..."), each of them made safe to show.
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
    opsets[from_onnx::domain_of(import.domain())] = static_cast<int>(import.version());
  if (model.ir_version() < 3) opsets.emplace("", 1);
  return opsets;
}

/// What ONNX's checker does not know of this model; empty where it knows all.
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
    return cat("older tensors than those of ", from_onnx::type_name(type));
  return "";
}

/// Has ONNX's own checker look at the model, where it knows the versions. Returns a note
/// where it does not.
std::optional<std::string> check_model(::onnx::ModelProto& model, const std::filesystem::path& directory) {
  if (const auto unknown = unknown_to_checker(model); !unknown.empty())
    return cat("not checked by ONNX's checker, which knows ", unknown);
  ::onnx::checker::CheckerContext context;
  context.set_ir_version(static_cast<int>(model.ir_version()));
  context.set_opset_imports(opsets_of(model));
  context.set_model_dir(directory.string());
  const ClosedShapes closed(*model.mutable_graph());
  try {
    const ::onnx::checker::LexicalScopeContext names;
    ::onnx::checker::check_graph(model.graph(), context, names);
  } catch (const std::exception& problem) {
    fail("ONNX's checker: ", on_one_line(problem.what()));
  }
  return std::nullopt;
}

/// Runs `act`; every line of an Error it throws gets the name of the file.
template <class Act>
auto in_file(const std::filesystem::path& path, Act act) {
  const auto named = [&](const Error& error) {
    std::string lines = path.string() + ": ";
    for (const char c : std::string_view(error.what()))
      lines += c == '\n' ? "\n" + path.string() + ": " : std::string(1, c);
    return lines;
  };
  try {
    return act();
  } catch (const Unsupported& error) {
    throw Unsupported(named(error));
  } catch (const Error& error) {
    throw Error(named(error));
  }
}

}  // namespace

OnnxModel parse_onnx(std::string_view bytes, const std::filesystem::path& directory, const OnnxOptions& options) {
  ::onnx::ModelProto proto = parse_model(bytes);
  OnnxFacts facts = facts_of(proto);
  const auto unread = from_onnx::keep_what_outputs_need(proto);
  const auto note = check_model(proto, directory);
  OnnxModel model = from_onnx::Importer(proto, unread, directory, options).read();
  model.facts = std::move(facts);
  model.file.directory = directory;
  if (note) model.notes.push_back(*note);
  return model;
}

OnnxModel read_onnx(const std::filesystem::path& path, const OnnxOptions& options) {
  return in_file(path,
                 [&] { return parse_onnx(files::read_text(path, most_file_bytes), path.parent_path(), options); });
}

OnnxFacts read_onnx_facts(const std::filesystem::path& path) {
  return in_file(path, [&] { return facts_of(parse_model(files::read_text(path, most_file_bytes))); });
}

NamedTensor parse_tensor_proto(std::string_view bytes, std::uint64_t most_bytes) {
  ::onnx::TensorProto proto;
  // A sequence, map or optional has its own fields where a tensor has dims and a type.
  if (!parse(bytes, proto) || proto.data_type() == ::onnx::TensorProto::UNDEFINED)
    throw Unsupported("is not a tensor: a sequence, map or optional, or damaged");
  return {proto.name(), from_onnx::TensorReader({}, most_bytes).read(proto)};
}

NamedTensor read_tensor_proto(const std::filesystem::path& path, std::uint64_t most_bytes) {
  return in_file(path, [&] { return parse_tensor_proto(files::read_text(path, most_file_bytes), most_bytes); });
}

}  // namespace plumb::ir::formats
