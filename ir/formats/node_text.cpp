// Nodes of a graph file: checks names, fields and attributes against the op's schema, and finds cycles.
#include "ir/formats/node_text.hpp"

#include <algorithm>

#include "ir/formats/tensor_json.hpp"
#include "ir/op_list.hpp"
#include "ir/ops/constant.hpp"
#include "ir/raw/utf8.hpp"

namespace plumb::ir::formats {
namespace {

constexpr std::size_t longest_name = 1000;

template <class T, class Read>
std::optional<Attribute> list_from(const Json& json, Read read) {
  const auto* array = json.array();
  if (array == nullptr) return std::nullopt;
  std::vector<T> list;
  for (const Json& element : *array) {
    const std::optional<T> x = read(element);
    if (!x) return std::nullopt;
    list.push_back(*x);
  }
  return list;
}

std::optional<std::int64_t> whole_of(const Json& json) {
  return json.whole() != nullptr ? std::optional(*json.whole()) : std::nullopt;
}

/// The attribute, or nothing when JSON of this kind cannot be of kind `kind`.
std::optional<Attribute> attribute_from(const Json& json, std::string_view kind) {
  if (kind == "bool") return json.boolean() != nullptr ? std::optional<Attribute>(*json.boolean()) : std::nullopt;
  if (kind == "ints") return list_from<std::int64_t>(json, whole_of);
  if (kind == "reals") return list_from<double>(json, real_of);
  if (kind.starts_with("int")) return whole_of(json);
  if (kind.starts_with("real")) return real_of(json);
  if (json.text() == nullptr) return std::nullopt;
  if (kind == "bytes") return bytes_from_base64(*json.text());
  return *json.text();  // enum, dtype, string
}

void check_choice(const FieldInfo& field, const Attribute& attribute) {
  const auto* name = std::get_if<std::string>(&attribute);
  if (name == nullptr) return;
  if (field.kind.starts_with("dtype")) require(find_dtype(*name).has_value(), "no such dtype: '", *name, "'");
  if (field.kind != "enum" || std::ranges::find(field.choices, *name) != field.choices.end()) return;
  std::string choices;
  for (const auto choice : field.choices) choices += (choices.empty() ? "" : ", ") + std::string(choice);
  fail("no such choice: '", name->substr(0, longest_quote), "', there are ", choices);
}

/// "values" of a constant stand for its "data".
void add_values(const NodeText& node, Attributes& attributes, const Json& values) {
  require(node.op == ops::Constant::name, "has no attribute 'values'");
  require(!attributes.contains("data"), "has both 'values' and 'data'");
  const auto dtype = attributes.find("dtype"), shape = attributes.find("shape");
  if (dtype == attributes.end() || shape == attributes.end()) return;  // reported already
  const TensorType type{*find_dtype(std::get<std::string>(dtype->second)),
                        Shape(std::get<std::vector<std::int64_t>>(shape->second))};
  check_type(type);
  const Tensor tensor = tensor_from_values(type, values);
  attributes.emplace("data", Bytes(tensor.bytes().begin(), tensor.bytes().end()));
}

}  // namespace

Attribute parse_attribute(const FieldInfo& field, const Json& json) {
  auto attribute = attribute_from(json, field.kind);
  require(attribute.has_value(), "must be of kind ", field.kind, ", got ", json.kind());
  check_choice(field, *attribute);
  return std::move(*attribute);
}

void check_name(std::string_view name) {
  require(!name.empty(), "a name must not be empty");
  require(name.size() <= longest_name, "a name has ", name.size(), " bytes, at most ", longest_name, " are allowed");
  require(!raw::has_control(name), "a name has a control character");
}

void check_tag(std::string_view tag) {
  constexpr std::size_t longest_tag = 100;
  require(!tag.empty() && tag.size() <= longest_tag, "a tag has 1 to ", longest_tag, " bytes, got ", tag.size());
  require(!raw::has_control(tag) && tag.find_first_of(" (),") == tag.npos,
          "a tag has no blank, comma or parenthesis, "
          "got '",
          tag, "'");
  require(tag != "and" && tag != "or" && tag != "not", "'", tag, "' joins tags, and is none");
}

const std::string& text_of(const Json& json, std::string_view what) {
  require(json.text() != nullptr, what, " must be a string, got ", json.kind());
  return *json.text();
}

const JsonArray& array_of(const Json& json, std::string_view what) {
  require(json.array() != nullptr, what, " must be an array, got ", json.kind());
  return *json.array();
}

const Json& member(const Json& object, std::string_view name) {
  const Json* const found = object.find(name);
  require(found != nullptr, "'", name, "' is missing");
  return *found;
}

const JsonObject& object_of(const Json& json, std::string_view what) {
  require(json.object() != nullptr, what, " must be an object, got ", json.kind());
  return *json.object();
}

void check_keys(const JsonObject& object, std::initializer_list<std::string_view> known) {
  for (const auto& member : object)
    require(std::ranges::find(known, member.first) != known.end(), "has no field '",
            member.first.substr(0, longest_quote), "'");
}

NodeText parse_node(const Json& json) {
  NodeText node;
  node.members = &object_of(json, "a node");
  const Json *label = json.find("label"), *op = json.find("op"), *inputs = json.find("inputs");
  require(label != nullptr, "'label' is missing");
  node.label = text_of(*label, "label");
  check_name(node.label);
  const std::string where = cat("node '", node.label, "': ");
  require(op != nullptr, where, "'op' is missing");
  node.op = text_of(*op, where + "op").substr(0, longest_name);
  if (inputs == nullptr) return node;
  require(inputs->array() != nullptr, where, "inputs must be an array, got ", inputs->kind());
  for (const Json& input : *inputs->array()) node.inputs.push_back(text_of(input, where + "an input"));
  return node;
}

std::optional<Op> parse_op(const NodeText& node, Findings& findings) {
  const OpSchema* schema = find_schema(node.op);
  if (schema == nullptr) {
    findings.note(node.where() + "no such op");
    return std::nullopt;
  }
  Attributes attributes;
  bool good = true;
  const auto fields = schema->fields();
  for (const auto& member : *node.members) {
    const std::string& name = member.first;
    if (name == "label" || name == "op" || name == "inputs" || name == "values") continue;
    const auto field = std::ranges::find(fields, std::string_view(name), &FieldInfo::name);
    good &= findings.attempt(cat(node.where(), "attribute '", name.substr(0, longest_quote), "' "), [&] {
      require(field != fields.end(), "does not exist");
      attributes.emplace(name, parse_attribute(*field, member.second));
    });
  }
  const auto given = [&](std::string_view name) {
    return std::ranges::find(*node.members, name, &JsonObject::value_type::first) != node.members->end();
  };
  for (const FieldInfo& field : fields) {
    if (field.presence == Presence::optional || given(field.name) || (field.name == "data" && given("values")))
      continue;
    findings.note(cat(node.where(), "attribute '", field.name, "' is missing"));
    good = false;
  }
  for (const auto& member : *node.members)
    if (member.first == "values")
      good &= findings.attempt(node.where(), [&] { add_values(node, attributes, member.second); });
  std::optional<Op> op;
  if (good) findings.attempt(node.where(), [&] { op = schema->read(attributes); });
  return op;
}

std::vector<std::vector<std::size_t>> find_cycles(const std::vector<std::vector<std::size_t>>& reads,
                                                  std::size_t most) {
  // Take away what waits for nothing until nothing changes; from what is left, every walk against the arrows
  // ends in a cycle. A cycle found is taken away, too, and so on.
  std::vector<std::vector<std::size_t>> users(reads.size()), cycles;
  std::vector<std::size_t> waits(reads.size()), ready;
  std::vector<bool> gone(reads.size(), false);
  for (std::size_t i = 0; i < reads.size(); ++i) {
    for (const std::size_t from : reads[i]) users[from].push_back(i);
    waits[i] = reads[i].size();
    if (waits[i] == 0) ready.push_back(i);
  }
  for (std::size_t start = 0; cycles.size() < most;) {
    while (!ready.empty()) {
      const std::size_t done = ready.back();
      ready.pop_back();
      gone[done] = true;
      for (const std::size_t user : users[done])
        if (--waits[user] == 0 && !gone[user]) ready.push_back(user);
    }
    while (start < reads.size() && gone[start]) ++start;
    if (start == reads.size()) break;
    std::vector<std::size_t> path, seen_at(reads.size(), reads.size());
    std::size_t at = start;
    for (; seen_at[at] == reads.size(); at = *std::ranges::find_if(reads[at], [&](auto from) { return !gone[from]; })) {
      seen_at[at] = path.size();
      path.push_back(at);
    }
    cycles.emplace_back(path.begin() + static_cast<std::ptrdiff_t>(seen_at[at]), path.end());
    for (const std::size_t node : cycles.back()) {
      gone[node] = true;
      for (const std::size_t user : users[node])
        if (--waits[user] == 0 && !gone[user]) ready.push_back(user);
    }
  }
  return cycles;
}

}  // namespace plumb::ir::formats
