// Reads plumb.graph/1, section by section, and goes on after an error: a person who mends
// a file wants to see everything that is wrong with it.

#include <algorithm>
#include <fstream>
#include <set>

#include "ir/adversarial/adversarial.hpp"
#include "ir/files/path_below.hpp"
#include "ir/files/read_file.hpp"
#include "ir/formats/graph_file.hpp"
#include "ir/formats/node_text.hpp"
#include "ir/formats/tensor_json.hpp"
#include "ir/kernels/packed/fill.hpp"
#include "ir/ops/constant.hpp"
#include "ir/passes/widen.hpp"
#include "ir/raw/float_environment.hpp"

namespace plumb::ir::formats {
namespace {

constexpr std::size_t most_cycles = 10;

Fill parse_fill(const Json& json) {
  const auto& object = object_of(json, "fill");
  const Json* named = json.find("distribution");
  require(named != nullptr, "fill: 'distribution' is missing");
  Fill fill;
  try {
    from_attribute(Attribute(text_of(*named, "distribution")), fill.distribution);
  } catch (const Error& error) {
    fail("fill: distribution: ", error.what());
  }
  for (const auto& member : object) {
    const std::string& key = member.first;
    if (key == "distribution") continue;
    if (key == "kind" && fill.distribution == Distribution::adversarial) {
      fill.kind = adversarial::kind_named(text_of(member.second, "kind"));
      continue;
    }
    if (key == "format" && fill.distribution == Distribution::packed) {
      fill.format = text_of(member.second, "format");
      kernels::packed::format_named(fill.format);
      continue;
    }
    const auto parameter = std::ranges::find_if(
        fill_parameters, [&](const FillParameter& p) { return p.distribution == fill.distribution && p.name == key; });
    require(parameter != fill_parameters.end(), "fill ", enum_name(fill.distribution), ": has no parameter '",
            key.substr(0, longest_quote), "'");
    const auto x = real_of(member.second);
    require(x.has_value(), "fill ", enum_name(fill.distribution), ": ", key, " must be a number, got ",
            member.second.kind());
    fill.*parameter->member = *x;
  }
  require(fill.distribution != Distribution::packed || !fill.format.empty(), "fill packed: 'format' is missing");
  return fill;
}

/// A hostile file must not make its reader open just any file.
External parse_external(const Json& file, const Json* key) {
  External external{text_of(file, "file"), key != nullptr ? text_of(*key, "key") : ""};
  require(files::stays_below(external.file), "file must be a path below the graph's folder, got '",
          external.file.substr(0, longest_quote), "'");
  return external;
}

class Reader {
 public:
  Reader(const Json& top, std::filesystem::path directory) : top_(object_of(top, "the file")) {
    file_.directory = std::move(directory);
    const Json* format = top.find("format");
    require(format != nullptr, "'format' is missing");
    const std::string& version = text_of(*format, "format");
    require(version == "plumb.graph/1", "format must be plumb.graph/1, got '", version.substr(0, longest_quote), "'");
  }

  GraphFile read() {
    findings_.attempt("the file ", [&] {
      check_keys(top_, {"format", "why", "tags", "inputs", "params", "nodes", "results", "must", "expect_error"});
    });
    section("why", [&](const Json& json) { file_.why = text_of(json, "why"); });
    section("tags", [&](const Json& json) { read_tags(json); });
    section("inputs", [&](const Json& json) { read_sources(json, "input", &Graph::input); });
    section("params", [&](const Json& json) { read_sources(json, "param", &Graph::param); });
    if (!section("nodes", [&](const Json& json) { read_nodes(json); })) findings_.note("'nodes' is missing");
    if (!section("results", [&](const Json& json) { read_results(json); })) findings_.note("'results' is missing");
    section("must", [&](const Json& json) { from_attribute(Attribute(text_of(json, "must")), file_.must); });
    if (file_.expected.empty()) file_.decimals = {};
    section("expect_error", [&](const Json& json) { read_expect_error(json); });
    findings_.throw_if_any();
    return std::move(file_);
  }

 private:
  template <class Read>
  bool section(std::string_view key, Read read) {
    for (const auto& member : top_)
      if (member.first == key) return findings_.attempt(cat(key, ": "), [&] { read(member.second); }), true;
    return false;
  }

  void read_tags(const Json& json) {
    for (const Json& tag : array_of(json, "tags")) {
      check_tag(text_of(tag, "a tag"));
      require(!std::ranges::count(file_.tags, *tag.text()), "'", *tag.text(), "' is given twice");
      file_.tags.push_back(*tag.text());
    }
  }

  void read_sources(const Json& json, const std::string& kind, Value (Graph::*add)(std::string, TensorType)) {
    require(json.object() != nullptr, "must be an object, got ", json.kind());
    for (const auto& member : *json.object()) {
      const auto where = kind + " '" + member.first.substr(0, longest_quote) + "': ";
      const auto read = [&] { read_source(member.first, member.second, add); };
      if (!findings_.attempt(where, read)) broken_.insert(member.first);
    }
  }

  void read_source(const std::string& name, const Json& json, Value (Graph::*add)(std::string, TensorType)) {
    check_name(name);
    require(json.object() != nullptr, "must be an object, got ", json.kind());
    check_keys(*json.object(), {"type", "values", "data", "fill", "seed", "file", "key"});
    const Json* named = json.find("type");
    require(named != nullptr, "'type' is missing");
    const TensorType type = parse_type(text_of(*named, "type"));
    auto source = parse_source(json, type);
    (file_.graph.*add)(name, type);
    if (const Json* values = json.find("values")) note_written(name, std::get<Tensor>(*source), *values);
    if (source) file_.sources.emplace(name, std::move(*source));
  }

  /// Keeps decimals that are other numbers than were read.
  void note_written(const std::string& name, const Tensor& read, const Json& values) {
    Tensor written = tensor_from_values({passes::wider(read.dtype()), read.shape()}, values);
    if (!std::ranges::equal(written.bytes(), passes::widen(read).bytes()))
      file_.decimals.written.emplace(name, std::move(written));
  }

  static std::optional<TensorSource> parse_source(const Json& json, const TensorType& type) {
    const Json *values = json.find("values"), *data = json.find("data"), *fill = json.find("fill"),
               *seed = json.find("seed"), *name = json.find("file"), *key = json.find("key");
    require((values != nullptr) + (data != nullptr) + (fill != nullptr) + (name != nullptr) <= 1,
            "has more than one of 'values', 'data', 'fill' and 'file'");
    require(seed == nullptr || fill != nullptr, "has 'seed' without 'fill'");
    require(key == nullptr || name != nullptr, "has 'key' without 'file'");
    if (values != nullptr) return tensor_from_values(type, *values);
    if (data != nullptr) return tensor_from_bytes(type, bytes_from_base64(text_of(*data, "data")));
    if (name != nullptr) return parse_external(*name, key);
    if (fill == nullptr) return std::nullopt;
    Generated generated{parse_fill(*fill)};
    check_fill(type, generated.fill);
    if (seed != nullptr) {
      require(seed->whole() != nullptr, "seed must be a whole number, got ", seed->kind());
      require(*seed->whole() >= 0, "seed must be 0 or more, got ", *seed->whole());
      generated.seed = static_cast<std::uint64_t>(*seed->whole());
    }
    return generated;
  }

  /// A text that nothing is asked for would never be seen.
  void read_expect_error(const Json& json) {
    file_.expect_error = text_of(json, "expect_error");
    require(file_.must != Must::pass, "goes with \"must\": \"fail\" or \"refuse\" alone");
  }

  void read_nodes(const Json& json);
  void mark_cycles(const std::vector<NodeText>& nodes);
  void read_node(const NodeText& node);
  std::optional<std::vector<Value>> find_inputs(const NodeText& node);
  void read_results(const Json& json);
  void read_result(const std::string& name, const Json* expectation);

  /// The label in `labels_` that a value's name belongs to, if there is one.
  std::optional<std::string_view> label_of(std::string_view name) const {
    if (labels_.contains(name)) return name;
    const auto label = name.substr(0, name.rfind(':'));
    return labels_.contains(label) ? std::optional(label) : std::nullopt;
  }
  bool is_broken(std::string_view name) const {
    return broken_.contains(name) || broken_.contains(name.substr(0, name.rfind(':')));
  }

  const JsonObject& top_;
  GraphFile file_;
  Findings findings_;
  std::map<std::string, std::size_t, std::less<>> labels_;  ///< nodes by label
  std::set<std::string, std::less<>> broken_;               ///< names without a value because of an error
};

void Reader::read_nodes(const Json& json) {
  require(json.array() != nullptr, "must be an array, got ", json.kind());
  std::vector<NodeText> nodes;
  for (std::size_t i = 0; i < json.array()->size(); ++i) {
    const Json& element = (*json.array())[i];
    const bool good = findings_.attempt(cat("nodes[", i, "]: "), [&] { nodes.push_back(parse_node(element)); });
    const Json* label = good ? nullptr : element.find("label");
    if (label != nullptr && label->text() != nullptr) broken_.insert(*label->text());
  }
  std::erase_if(nodes, [&](const NodeText& node) {
    const bool again = broken_.contains(node.label) || !labels_.emplace(node.label, labels_.size()).second;
    if (again) findings_.note(node.where() + "its name is used twice");
    return again;
  });
  mark_cycles(nodes);
  for (const NodeText& node : nodes)
    if (!broken_.contains(node.label)) read_node(node);
}

void Reader::mark_cycles(const std::vector<NodeText>& nodes) {
  std::vector<std::vector<std::size_t>> reads(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (const std::string& input : nodes[i].inputs)
      if (const auto label = label_of(input); label && !file_.graph.find(input))
        reads[i].push_back(labels_.find(*label)->second);
  for (const auto& cycle : find_cycles(reads, most_cycles)) {
    std::string text = nodes[cycle[0]].where() + "is part of a cycle: " + nodes[cycle[0]].label;
    for (std::size_t k = 1; k < cycle.size(); ++k) text += " reads " + nodes[cycle[k]].label;
    findings_.note(text + " reads " + nodes[cycle[0]].label);
    for (const std::size_t i : cycle) broken_.insert(nodes[i].label);
  }
}

std::optional<std::vector<Value>> Reader::find_inputs(const NodeText& node) {
  std::vector<Value> inputs;
  bool good = true;
  for (const std::string& name : node.inputs) {
    if (const auto value = file_.graph.find(name)) {
      inputs.push_back(*value);
      continue;
    }
    good = false;
    if (is_broken(name)) continue;
    const auto label = label_of(name);
    const auto quoted = "'" + name.substr(0, longest_quote) + "'";
    if (!label)
      findings_.note(cat(node.where(), "reads ", quoted, ", which does not exist"));
    else if (file_.graph.find(*label))
      findings_.note(cat(node.where(), "reads ", quoted, ", but '", *label, "' has no such output"));
    else
      findings_.note(cat(node.where(), "reads ", quoted, ", which a later node computes"));
  }
  return good ? std::optional(std::move(inputs)) : std::nullopt;
}

void Reader::read_node(const NodeText& node) {
  auto inputs = find_inputs(node);
  auto op = parse_op(node, findings_);
  const bool good = inputs && op &&
                    findings_.attempt("", [&] { file_.graph.add_all(node.label, std::move(*op), std::move(*inputs)); });
  if (!good) broken_.insert(node.label);
  const auto values = std::ranges::find(*node.members, "values", &std::pair<std::string, Json>::first);
  if (!good || values == node.members->end()) return;
  const auto& constant = file_.graph.nodes().back().op.as<ops::Constant>();
  note_written(node.label, tensor_from_bytes({constant.dtype, Shape(constant.shape)}, constant.data), values->second);
}

void Reader::read_result(const std::string& name, const Json* expectation) {
  const auto value = file_.graph.find(name);
  if (!value && is_broken(name)) return;
  require(value.has_value(), "no node or source has this name");
  file_.graph.returns(*value);
  if (expectation == nullptr) return;
  check_keys(object_of(*expectation, "the expectation"), {"values", "data"});
  const Json *values = expectation->find("values"), *data = expectation->find("data");
  require(values == nullptr || data == nullptr, "has both 'values' and 'data'");
  const TensorType type{passes::wider(file_.graph.type(*value).dtype), file_.graph.type(*value).shape};
  if (values != nullptr) file_.expected.emplace(name, tensor_from_values(type, *values));
  if (values != nullptr && (type.dtype == DType::f64 || type.dtype == DType::c128))
    file_.decimals.last_digits.emplace(name, last_digits_from_values(type, *values));
  if (data != nullptr) file_.expected.emplace(name, tensor_from_bytes(type, bytes_from_base64(text_of(*data, "data"))));
}

void Reader::read_results(const Json& json) {
  const auto read = [&](const std::string& name, const Json* expectation) {
    findings_.attempt("result '" + name.substr(0, longest_quote) + "': ", [&] { read_result(name, expectation); });
  };
  const auto* names = json.array();
  const auto* members = json.object();
  require(names != nullptr || members != nullptr, "must be an array or an object, got ", json.kind());
  require(names != nullptr ? !names->empty() : !members->empty(), "must name at least one value");
  if (names != nullptr)
    for (const Json& name : *names) read(text_of(name, "a result"), nullptr);
  else
    for (const auto& member : *members) read(member.first, &member.second);
}

}  // namespace

GraphFile parse_graph(std::string_view text, const std::filesystem::path& directory) {
  const raw::FloatEnvironment own;  // decimals are rounded as numbers are
  const Json json = parse_json(text);
  return Reader(json, directory).read();
}

GraphFile read_graph(const std::filesystem::path& path) {
  try {
    const std::string text = files::read_text(path, JsonLimits{}.bytes);
    return parse_graph(text, path.parent_path());
  } catch (const Error& error) {
    throw Error(files::with_name(path, error.what()));
  }
}

}  // namespace plumb::ir::formats
