// ONNX files: parsed by protobuf, checked, read or only described.
#include "ir/formats/onnx/onnx_file.hpp"

#include <google/protobuf/io/coded_stream.h>

#include <algorithm>

#include "ir/files/read_file.hpp"
#include "ir/formats/onnx/checker.hpp"
#include "ir/formats/onnx/extents.hpp"
#include "ir/formats/onnx/importer.hpp"
#include "ir/formats/onnx/names.hpp"

namespace plumb::ir::formats {
namespace {

using from_onnx::clean;

constexpr std::uint64_t most_file_bytes = (std::uint64_t{1} << 31) - 1;  ///< protobuf's limit

constexpr int most_nested = 100;  ///< messages within messages: protobuf's own limit
constexpr int graph_levels = 3;   ///< that a graph adds: itself, its node and its attribute

/// Parses a message as a whole.
template <class Message>
bool parse(std::string_view bytes, Message& message, int most_levels = most_nested) {
  if (bytes.size() > most_file_bytes) return false;
  google::protobuf::io::CodedInputStream input(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                               static_cast<int>(bytes.size()));
  input.SetRecursionLimit(most_levels);
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

std::optional<DType> dtype_or_none(std::int64_t onnx_type) try {
  return from_onnx::dtype_of(onnx_type);
} catch (const Unsupported&) {
  return std::nullopt;
}

OnnxValue describe(const ::onnx::ValueInfoProto& value) {
  const auto& type = value.type();
  const bool is_tensor = type.has_tensor_type() && type.tensor_type().elem_type() != ::onnx::TensorProto::STRING;
  OnnxValue described{clean(value.name()), from_onnx::type_text(type), is_tensor};
  described.key = value.name();
  if (is_tensor) described.dtype = dtype_or_none(type.tensor_type().elem_type());
  const auto& dimensions = type.tensor_type().shape().dim();
  described.has_nameless = !type.tensor_type().has_shape();
  if (type.tensor_type().has_shape()) described.extents.emplace();
  for (const auto& dimension : dimensions) {
    described.extents->push_back(dimension.has_dim_value() ? dimension.dim_value() : -1);
    described.symbols.emplace_back(from_onnx::symbol_of(dimension));
    described.has_nameless |= described.symbols.back().empty() && !dimension.has_dim_value();
  }
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
    (initialised.contains(input.name()) ? facts.defaults : facts.inputs).push_back(describe(input));
  }
  for (const auto& output : model.graph().output()) facts.outputs.push_back(describe(output));
  for (const std::string& name : initialised) facts.initialisers.push_back(clean(name));
  for (const auto& node : model.graph().node())
    if (node.op_type() == "Constant" && node.output_size() == 1) facts.initialisers.push_back(clean(node.output(0)));
  count_ops(model.graph().node(), facts);
  for (const auto& function : model.functions()) count_ops(function.node(), facts);
  return facts;
}

::onnx::ModelProto parse_model(std::string_view bytes) {
  ::onnx::ModelProto model;
  if (!parse(bytes, model)) {
    constexpr int deep = 10 * most_nested;  // as far as a small stack reaches
    require(!parse(bytes, model, deep), "nests graphs (If, Loop, Scan) too deeply: protobuf reads ", most_nested,
            " messages within each other, which are ", most_nested / graph_levels, " graphs");
    fail("is not an ONNX model: its bytes are damaged, or of something else");
  }
  require(model.has_graph(), "is not an ONNX model: it has no graph");
  require(model.ir_version() > 0, "has no ir_version, which every ONNX model states");
  return model;
}

/// Runs `act`; every line of an Error it throws gets the name of the file.
template <class Act>
auto in_file(const std::filesystem::path& path, Act act) {
  try {
    return act();
  } catch (const Unsupported& error) {
    throw Unsupported(files::with_name(path, error.what()));
  } catch (const Error& error) {
    throw Error(files::with_name(path, error.what()));
  }
}

}  // namespace

OnnxModel parse_onnx(std::string_view bytes, const std::filesystem::path& directory, const OnnxOptions& options) {
  ::onnx::ModelProto proto = parse_model(bytes);
  OnnxFacts facts = facts_of(proto);
  const auto unread = from_onnx::keep_what_outputs_need(proto);
  const from_onnx::Checker checker(proto, directory);
  OnnxModel model = from_onnx::Importer(proto, unread, directory, options, checker).read();
  model.facts = std::move(facts);
  model.file.directory = directory;
  if (checker.note()) model.notes.push_back(*checker.note());
  return model;
}

OnnxModel read_onnx(const std::filesystem::path& path, const OnnxOptions& options) {
  return in_file(path,
                 [&] { return parse_onnx(files::read_text(path, most_file_bytes), path.parent_path(), options); });
}

OnnxFacts read_onnx_facts(const std::filesystem::path& path) {
  return in_file(path, [&] { return facts_of(parse_model(files::read_text(path, most_file_bytes))); });
}

std::vector<std::string> open_extents(const std::filesystem::path& path, const OnnxOptions& options) {
  return in_file(path, [&] {
    const auto model = parse_model(files::read_text(path, most_file_bytes));
    const from_onnx::Extents extents(model.graph(), options);
    std::vector<std::string> open;
    const auto has_numbers = [&](const ::onnx::ValueInfoProto& input) {
      return std::ranges::any_of(model.graph().initializer(),
                                 [&](const auto& tensor) { return tensor.name() == input.name(); });
    };
    for (const auto& input : model.graph().input())
      for (std::string& text : has_numbers(input) ? std::vector<std::string>() : extents.left_open(input))
        if (std::ranges::find(open, text) == open.end()) open.push_back(std::move(text));
    return open;
  });
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
