// Writes plumb.graph/1: one line for each source, node and result, values as the file had them where that is known.
#include <set>

#include "ir/formats/graph_file.hpp"
#include "ir/formats/node_text.hpp"
#include "ir/formats/tensor_json.hpp"
#include "ir/ops/constant.hpp"

namespace plumb::ir::formats {
namespace {

JsonObject fill_json(const Fill& fill) {
  JsonObject object;
  object.emplace_back("distribution", enum_name(fill.distribution));
  for (const FillParameter& p : fill_parameters)
    if (p.distribution == fill.distribution) object.emplace_back(p.name, json_of(fill.*p.member));
  if (fill.kind && fill.distribution == Distribution::adversarial) object.emplace_back("kind", enum_name(*fill.kind));
  if (fill.distribution == Distribution::packed) object.emplace_back("format", fill.format);
  return object;
}

void add_source(JsonObject& object, const Generated& source) {
  object.emplace_back("fill", fill_json(source.fill));
  if (!source.seed) return;
  require(*source.seed <= INT64_MAX, "the seed ", *source.seed, " does not fit the i64 that a file has for it");
  object.emplace_back("seed", static_cast<std::int64_t>(*source.seed));
}
void add_source(JsonObject& object, const External& source) {
  object.emplace_back("file", source.file);
  if (!source.key.empty()) object.emplace_back("key", source.key);
}

void add_source(JsonObject& object, const Tensor& source) { add_elements(object, source); }

/// The elements of a source or a constant: as the file had them, where that is known.
void add_values(JsonObject& object, const GraphFile& file, std::string_view name, const Tensor& tensor) {
  const auto written = file.decimals.written.find(name);
  if (written != file.decimals.written.end() && written->second.shape() == tensor.shape())
    object.emplace_back("values", values_of(written->second));
  else
    add_elements(object, tensor);
}

/// An expectation: to the digits that it was written to; where nothing says to which, bytes, of which all count.
void add_expectation(JsonObject& object, const GraphFile& file, const std::string& name, const Tensor& expected) {
  const auto digits = file.decimals.last_digits.find(name);
  const bool is_whole = !is_float(expected.dtype()) && !is_complex(expected.dtype());
  if (digits != file.decimals.last_digits.end())
    object.emplace_back("values", values_of(expected, digits->second));
  else if (is_whole)
    add_elements(object, expected);
  else
    object.emplace_back("data", base64_of(expected.bytes()));
}

/// The name of a value, which must find it again: a node may be called "x:1" while "x"
/// has two outputs.
std::string name_of(const Graph& graph, Value value) {
  auto name = graph.name(value);
  require(graph.find(name) == value, "the name '", name,
          "' is ambiguous: a node is called so, and it is an output of another");
  return name;
}

JsonObject node_json(const GraphFile& file, const Node& node) {
  const Graph& graph = file.graph;
  JsonObject object;
  object.emplace_back("label", node.label);
  object.emplace_back("op", node.op.name());
  JsonArray inputs;
  for (const Value value : node.inputs) inputs.emplace_back(name_of(graph, value));
  object.emplace_back("inputs", std::move(inputs));
  const bool is_constant = node.op.is<ops::Constant>();
  for (const auto& [name, attribute] : node.op.attributes())
    if (!is_constant || name != "data") object.emplace_back(name, attribute_json(attribute));
  if (is_constant) {
    const auto& constant = node.op.as<ops::Constant>();
    add_values(object, file, node.label, tensor_from_bytes(graph.type(node.outputs[0]), constant.data));
  }
  return object;
}

/// Builds the text: one line a member of the file, and one a source, node or result.
class Page {
 public:
  void member(std::string_view key, const Json& json) { add(cat(to_text(Json(key)), ": ", to_text(json)), 2); }
  void open(std::string_view key, char bracket) {
    add(cat(to_text(Json(key)), ": ", bracket), 2);
    fresh_ = true;
  }
  void item(const Json& json) { add(to_text(json), 4); }
  void item(std::string_view key, const Json& json) { add(cat(to_text(Json(key)), ": ", to_text(json)), 4); }
  void close(char bracket) {
    text_ += (fresh_ ? "" : "\n  ") + std::string(1, bracket);
    fresh_ = false;
  }
  std::string take() { return "{" + std::move(text_) + "\n}\n"; }

 private:
  void add(const std::string& line, std::size_t indent) {
    text_ += (fresh_ ? "\n" : ",\n") + std::string(indent, ' ') + line;
    fresh_ = false;
  }

  std::string text_;
  bool fresh_ = true;
};

void write_sources(Page& page, const GraphFile& file, std::string_view key, const std::vector<std::string>& names) {
  if (names.empty()) return;
  page.open(key, '{');
  for (const std::string& name : names) {
    JsonObject object;
    object.emplace_back("type", cat(file.graph.type(*file.graph.find(name))));
    const auto source = file.sources.find(name);
    if (source != file.sources.end() && std::holds_alternative<Tensor>(source->second))
      add_values(object, file, name, std::get<Tensor>(source->second));
    else if (source != file.sources.end())
      std::visit([&](const auto& from) { add_source(object, from); }, source->second);
    page.item(name, std::move(object));
  }
  page.close('}');
}

void write_results(Page& page, const GraphFile& file) {
  const Graph& graph = file.graph;
  std::set<std::string> written;
  page.open("results", file.expected.empty() ? '[' : '{');
  for (const Value value : graph.results()) {
    const auto name = name_of(graph, value);
    JsonObject object;
    const auto expected = file.expected.find(name);
    if (expected != file.expected.end()) add_expectation(object, file, name, expected->second);
    if (file.expected.empty())
      page.item(name);
    else
      page.item(name, std::move(object));
  }
  page.close(file.expected.empty() ? ']' : '}');
}

}  // namespace

Json attribute_json(const Attribute& attribute) {
  return std::visit(
      []<class T>(const T& x) -> Json {
        if constexpr (std::is_same_v<T, double>) {
          return json_of(x);
        } else if constexpr (std::is_same_v<T, Bytes>) {
          return base64_of(x);
        } else if constexpr (std::is_same_v<T, std::vector<std::int64_t>> || std::is_same_v<T, std::vector<double>>) {
          JsonArray array;
          for (const auto element : x) {
            if constexpr (std::is_same_v<T, std::vector<double>>)
              array.push_back(json_of(element));
            else
              array.emplace_back(element);
          }
          return array;
        } else {
          return x;
        }
      },
      attribute);
}

std::string write_graph(const GraphFile& file) {
  Page page;
  page.member("format", "plumb.graph/1");
  if (!file.why.empty()) page.member("why", file.why);
  if (!file.tags.empty()) page.member("tags", JsonArray(file.tags.begin(), file.tags.end()));
  write_sources(page, file, "inputs", file.graph.inputs());
  write_sources(page, file, "params", file.graph.params());
  page.open("nodes", '[');
  for (const Node& node : file.graph.nodes()) page.item(node_json(file, node));
  page.close(']');
  write_results(page, file);
  if (file.must != Must::pass) page.member("must", enum_name(file.must));
  if (!file.expect_error.empty()) page.member("expect_error", file.expect_error);
  return page.take();
}

std::string graph_json(const Graph& graph) {
  GraphFile file;
  file.graph = graph;
  return write_graph(file);
}

}  // namespace plumb::ir::formats
