// Reads and writes the little of protobuf's wire format that names of values need.
#include "library/candidates/onnxruntime/expose.hpp"

#include <cstdint>
#include <optional>
#include <set>

#include "ir/error.hpp"

namespace plumb::library::candidates::onnxruntime {
namespace {

// Numbers of fields in ModelProto, GraphProto, NodeProto, ValueInfoProto and TensorProto.
constexpr std::uint64_t model_graph = 7;
constexpr std::uint64_t graph_node = 1, graph_tensor = 5, graph_input = 11, graph_output = 12;
constexpr std::uint64_t node_output = 2, value_name = 1, tensor_name = 8;
constexpr std::size_t most_bytes = (std::size_t{1} << 31) - 1;  // protobuf takes no more

/// A field of a message; `bytes` is empty where it holds a number.
struct Field {
  std::uint64_t number = 0;
  bool is_text = false;
  std::string_view bytes = {};
};

/// The fields of a message, one after another.
class Fields {
 public:
  explicit Fields(std::string_view message) : left_(message) {}

  /// None at the end. Throws Error where a field is malformed.
  std::optional<Field> next() {
    if (left_.empty()) return std::nullopt;
    const std::uint64_t key = number();
    Field field{.number = key >> 3U};
    ir::require(field.number != 0 && field.number < (1U << 29U), "is no model of ONNX: it has a field ", field.number);
    switch (key & 7U) {
      case 0:
        number();
        break;
      case 1:
        take(8);
        break;
      case 2:
        field.is_text = true;
        field.bytes = take(number());
        break;
      case 5:
        take(4);
        break;
      default:
        ir::fail("is no model of ONNX: it has a field of kind ", key & 7U);
    }
    return field;
  }

 private:
  std::uint64_t number() {
    std::uint64_t number = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1).front());
      number |= std::uint64_t{byte & 127U} << shift;
      if (byte < 128) return number;
    }
    ir::fail("is no model of ONNX: a number in it does not end");
  }

  std::string_view take(std::uint64_t count) {
    ir::require(count <= left_.size(), "is no model of ONNX, or is cut off: a field has ", count, " bytes, where ",
                left_.size(), " are left");
    const std::string_view taken = left_.substr(0, count);
    left_.remove_prefix(count);
    return taken;
  }

  std::string_view left_;
};

/// Calls `work` with the texts and messages of a number.
template <class Work>
void each(std::string_view message, std::uint64_t number, const Work& work) {
  Fields fields(message);
  while (const auto field = fields.next())
    if (field->is_text && field->number == number) work(field->bytes);
}

/// A text that is there several times is its last.
std::string_view text(std::string_view message, std::uint64_t number) {
  std::string_view last;
  each(message, number, [&](std::string_view one) { last = one; });
  return last;
}

void add_graph(std::string_view graph, ModelNames& names) {
  Fields fields(graph);
  while (const auto field = fields.next()) {
    if (!field->is_text) continue;
    switch (field->number) {
      case graph_node:
        each(field->bytes, node_output, [&](std::string_view name) {
          if (!name.empty()) names.computed.push_back(name);
        });
        break;
      case graph_tensor:
        names.stored.emplace(text(field->bytes, tensor_name), field->bytes);
        break;
      case graph_input:
        names.inputs.push_back(text(field->bytes, value_name));
        break;
      case graph_output:
        names.results.push_back(text(field->bytes, value_name));
        break;
      default:
        break;
    }
  }
}

/// A field that holds a text or a message.
std::string field_of(std::uint64_t number, std::string_view bytes) {
  std::string made;
  const auto add = [&](std::uint64_t value) {
    for (; value >= 128; value >>= 7U) made += static_cast<char>((value & 127U) | 128U);
    made += static_cast<char>(value);
  };
  add(number << 3U | 2U);
  add(bytes.size());
  return made.append(bytes);
}

}  // namespace

ModelNames names_of(std::string_view model) {
  ModelNames names;
  bool has_graph = false;
  each(model, model_graph, [&](std::string_view graph) {
    has_graph = true;
    add_graph(graph, names);
  });
  ir::require(has_graph, "is no model of ONNX: it has no graph");
  return names;
}

std::string exposed(std::string_view model, const std::vector<std::string_view>& names,
                    const std::vector<std::string_view>& tensors) {
  const ModelNames own = names_of(model);
  std::set<std::string_view> outputs(own.results.begin(), own.results.end());
  std::string graph;
  for (const std::string_view name : names)
    if (outputs.insert(name).second) graph += field_of(graph_output, field_of(value_name, name));
  for (const std::string_view tensor : tensors) {
    ir::require(graph.size() + tensor.size() <= most_bytes, "is too large to be watched: protobuf takes 2 GiB");
    graph += field_of(graph_tensor, tensor);
  }
  const std::string field = field_of(model_graph, graph);
  ir::require(model.size() <= most_bytes && field.size() <= most_bytes - model.size(),
              "is too large to be watched: protobuf takes 2 GiB");
  return std::string(model) + field;
}

}  // namespace plumb::library::candidates::onnxruntime
