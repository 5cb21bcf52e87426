// Registers ops by texts: a schema in JSON, and a body that is read for the types and attributes of each node.
#include "ir/register_op.hpp"

#include <algorithm>
#include <map>

#include "ir/files/read_file.hpp"
#include "ir/formats/graph_file.hpp"
#include "ir/formats/node_text.hpp"
#include "ir/formats/tensor_json.hpp"
#include "ir/op_list.hpp"

namespace plumb::ir::formats {
namespace {

constexpr JsonLimits text_limits{.bytes = 1 << 20, .values = 1 << 16, .depth = 16};
constexpr std::size_t most_bodies = 64;

std::string text_at(const Json& object, std::string_view key, std::string_view what) {
  const Json* const found = object.find(key);
  return found == nullptr ? std::string() : text_of(*found, cat(what, " '", key, "'"));
}

DTypes dtypes_of(const Json& json) {
  DTypes all;
  for (const Json& one : array_of(json, "dtypes")) {
    const std::string& name = text_of(one, "a dtype");
    const auto dtype = find_dtype(name);
    require(dtype.has_value(), "there is no dtype '", name.substr(0, longest_quote), "'");
    all = all | *dtype;
  }
  return all;
}

DeclaredOp::Operand operand_of(const Json& json) {
  check_keys(object_of(json, "an input"), {"name", "dtypes", "shape", "like"});
  DeclaredOp::Operand made{.name = text_at(json, "name", "an input's")};
  if (const Json* const dtypes = json.find("dtypes")) made.dtypes = dtypes_of(*dtypes);
  if (json.find("shape") != nullptr) made.shape = text_at(json, "shape", "an input's");
  made.like = text_at(json, "like", "an input's");
  return made;
}

DeclaredOp::Result result_of(const Json& json, const std::vector<DeclaredOp::Operand>& operands) {
  check_keys(object_of(json, "an output"), {"name", "type"});
  const std::string type = text_at(json, "type", "an output's");
  DeclaredOp::Result made{.name = text_at(json, "name", "an output's")};
  for (const auto& operand : operands)
    if (type == "as " + operand.name) made.like = operand.name;
  return made;
}

/// An attribute of this kind that nobody has set.
Attribute empty_of(const DeclaredOp::Field& field) {
  const std::map<std::string_view, Attribute, std::less<>> kinds = {{"bool", false},
                                                                    {"int", std::int64_t{0}},
                                                                    {"real", 0.0},
                                                                    {"string", std::string()},
                                                                    {"dtype", std::string("f32")},
                                                                    {"ints", std::vector<std::int64_t>()},
                                                                    {"reals", std::vector<double>()}};
  if (field.kind == "enum") {
    require(!field.choices.empty(), "attribute '", field.name, "' is an enum without choices");
    return field.choices.front();
  }
  const auto found = kinds.find(field.kind);
  require(found != kinds.end(), "attribute '", field.name, "' has no kind '", field.kind.substr(0, longest_quote),
          "', there are bool, int, real, string, ints, reals, enum and dtype");
  return found->second;
}

DeclaredOp::Field field_of(const Json& json) {
  check_keys(object_of(json, "an attribute"), {"name", "kind", "default", "choices", "doc"});
  DeclaredOp::Field made{.name = text_at(json, "name", "an attribute's"),
                         .kind = text_at(json, "kind", "an attribute's")};
  made.doc = text_at(json, "doc", "an attribute's");
  const bool is_reserved = made.name == "label" || made.name == "op" || made.name == "inputs" || made.name == "values";
  require(!is_reserved, "attribute '", made.name, "' is called as a field of every node");
  if (const Json* const choices = json.find("choices"))
    for (const Json& one : array_of(*choices, "choices")) made.choices.push_back(text_of(one, "a choice"));
  require(made.choices.empty() || made.kind == "enum", "attribute '", made.name, "' has choices and is no enum");
  made.usual = empty_of(made);
  const Json* const usual = json.find("default");
  if (usual == nullptr) {
    made.presence = Presence::required;
    return made;
  }
  const FieldInfo info{made.name, made.kind, made.doc, made.presence, {made.choices.begin(), made.choices.end()}};
  try {
    made.usual = parse_attribute(info, *usual);
  } catch (const Error& error) {
    fail("attribute '", made.name, "': default ", error.what());
  }
  return made;
}

void read_schema(const std::string& text, DeclaredOp& op) {
  const Json json = parse_json(text, text_limits);
  check_keys(object_of(json, "it"), {"summary", "formula", "inputs", "outputs", "attributes", "error_class"});
  op.summary = text_at(json, "summary", "");
  op.formula = text_at(json, "formula", "");
  for (const Json& one : array_of(member(json, "inputs"), "inputs")) op.operands.push_back(operand_of(one));
  for (const Json& one : array_of(member(json, "outputs"), "outputs"))
    op.results.push_back(result_of(one, op.operands));
  if (const Json* const fields = json.find("attributes"))
    for (const Json& one : array_of(*fields, "attributes")) op.fields.push_back(field_of(one));
  if (const Json* const given = json.find("error_class")) {
    const std::string& name = text_of(*given, "error_class");
    const auto found = enum_value<ErrorClass>(name);
    require(found.has_value(), "there is no error_class '", name.substr(0, longest_quote), "'");
    op.error_class = *found;
  }
}

/// A body as it was written, to be read for the operands and attributes of a node.
class Body {
 public:
  Body(const std::string& text, const DeclaredOp& op) : json_(parse_json(text, text_limits)) {
    check_keys(object_of(json_, "it"), {"format", "why", "inputs", "nodes", "results"});
    const JsonObject& inputs = object_of(member(json_, "inputs"), "inputs");
    require(inputs.size() == op.operands.size(), "it has ", inputs.size(), " inputs, and ", op.operands.size(),
            " are declared");
    for (std::size_t i = 0; i < op.operands.size(); ++i) {
      const auto& [name, input] = inputs[i];
      require(name == op.operands[i].name, "input ", i, " is '", name.substr(0, longest_quote), "', declared as '",
              op.operands[i].name, "'");
      check_keys(object_of(input, "an input"), {"type"});
      written_.push_back(parse_type(text_at(input, "type", "an input's")));
    }
    // An op that is not there yet, this one among them, cannot be what it is made of.
    for (const Json& node : array_of(member(json_, "nodes"), "nodes")) {
      const std::string name = text_at(node, "op", "a node's");
      require(find_schema(name) != nullptr, "there is no op '", name.substr(0, longest_quote), "'");
    }
  }

  /// The types that its inputs are written with.
  const TensorTypes& written() const { return written_; }

  std::shared_ptr<const Graph> of(const RegisteredOp& op, Types in) {
    std::string key = to_json(op.attributes);  // all of them, so that this and the types say what the text would be
    for (const TensorType& type : in) key += cat(' ', type);
    const std::scoped_lock held(lock_);
    if (const auto known = made_.find(key); known != made_.end()) return known->second;
    auto graph = std::make_shared<Graph>();
    try {
      *graph = parse_graph(to_text(replaced(json_, Scope{op, in})), {}).graph;
    } catch (const Error& error) {
      fail("its body: ", error.what());
    }
    if (made_.size() == most_bodies) made_.clear();
    return made_.emplace(std::move(key), std::move(graph)).first->second;
  }

 private:
  struct Scope {
    const RegisteredOp& op;
    Types in;
  };

  static Json value_of(std::string_view word, const Scope& scope) {
    const std::string_view name = word.substr(1), owner = name.substr(0, name.find('.'));
    if (const auto found = scope.op.attributes.find(name); found != scope.op.attributes.end())
      return attribute_json(found->second);
    const auto& operands = scope.op.of->operands;
    const auto operand = std::ranges::find(operands, owner, &DeclaredOp::Operand::name);
    if (operand != operands.end()) {
      const TensorType& type = scope.in[static_cast<std::size_t>(operand - operands.begin())];
      if (name == operand->name + ".dtype") return Json(info(type.dtype).name);
      if (name == operand->name + ".shape") {
        JsonArray extents;
        for (const std::int64_t extent : type.shape) extents.emplace_back(extent);
        return extents;
      }
    }
    fail("its body: '", word.substr(0, longest_quote), "' is no attribute, and no .dtype or .shape of an input");
  }

  /// A copy in which words with a dollar are the values that they stand for, and inputs have the node's types.
  static Json replaced(const Json& json, const Scope& scope, bool is_top = true) {
    if (const auto* array = json.array()) {
      JsonArray made;
      for (const Json& one : *array) made.push_back(replaced(one, scope, false));
      return made;
    }
    if (const auto* object = json.object()) {
      JsonObject made;
      for (const auto& [key, value] : *object)
        made.emplace_back(key, is_top && key == "inputs" ? inputs_of(value, scope) : replaced(value, scope, false));
      return made;
    }
    if (json.text() != nullptr)
      return json.text()->starts_with('$') ? value_of(*json.text(), scope) : Json(*json.text());
    if (json.boolean() != nullptr) return *json.boolean();
    if (json.whole() != nullptr) return *json.whole();
    return json.decimal() != nullptr ? Json(*json.decimal()) : Json();
  }

  static Json inputs_of(const Json& inputs, const Scope& scope) {
    JsonObject made;
    for (std::size_t i = 0; i < inputs.object()->size(); ++i) {
      JsonObject type;
      type.emplace_back("type", cat(scope.in[i]));
      made.emplace_back((*inputs.object())[i].first, std::move(type));
    }
    return made;
  }

  const Json json_;
  TensorTypes written_;
  std::mutex lock_;
  std::map<std::string, std::shared_ptr<const Graph>> made_;  ///< by attributes and types
};

/// Reads the body once as it is written, so that a wrong one is found before a graph has it.
void check_body(const DeclaredOp& op, Body& body) {
  RegisteredOp one{&op, {}};
  for (const DeclaredOp::Field& field : op.fields) {
    if (field.presence == Presence::required) return;  // its values are not known
    one.attributes.emplace(field.name, field.usual);
  }
  for (std::size_t i = 0; i < op.operands.size(); ++i)
    require(op.operands[i].dtypes.contains(body.written()[i].dtype), "input '", op.operands[i].name, "' is ",
            body.written()[i], " in its body, declared as ", op.operands[i].dtypes);
  one.infer(body.written());
}

std::string text_of_member(const Json& object, std::string_view key) {
  const Json* const found = object.find(key);
  return found == nullptr ? std::string() : to_text(*found);
}

}  // namespace
}  // namespace plumb::ir::formats

namespace plumb::ir {

DeclaredOp declared(const NewOp& op) {
  DeclaredOp made{.name = op.name, .summary = "", .formula = "", .code = op.code};
  try {
    formats::read_schema(op.schema, made);
  } catch (const Error& error) {
    fail("the op '", op.name, "': its schema: ", error.what());
  }
  if (op.body.empty()) return made;
  try {
    require(op.schema.empty() || formats::parse_json(op.schema, formats::text_limits).find("error_class") == nullptr,
            "its schema has an error_class, and its body says what that is");
    std::shared_ptr<formats::Body> body;
    try {
      body = std::make_shared<formats::Body>(op.body, made);
    } catch (const Error& error) {
      fail("its body: ", error.what());
    }
    made.example = body->written();
    made.code.body = [body](const RegisteredOp& one, Types in) { return body->of(one, in); };
    formats::check_body(made, *body);
  } catch (const Error& error) {
    fail("the op '", op.name, "': ", error.what());
  }
  return made;
}

std::string to_json(const Attributes& attributes) {
  formats::JsonObject members;
  for (const auto& [name, value] : attributes) members.emplace_back(name, formats::attribute_json(value));
  return formats::to_text(std::move(members));
}

void register_op(const NewOp& op) { add_registered_op(declared(op)); }

void register_ops_of(const std::filesystem::path& path) {
  using namespace formats;
  try {
    const Json json = parse_json(files::read_text(path, text_limits.bytes), text_limits);
    check_keys(object_of(json, "the file"), {"format", "ops"});
    require(json.find("format") != nullptr && text_of(*json.find("format"), "format") == "plumb.ops/1",
            "'format' must be plumb.ops/1");
    for (const Json& one : array_of(member(json, "ops"), "ops")) {
      check_keys(object_of(one, "an op"), {"name", "schema", "body"});
      register_op({.name = text_at(one, "name", "an op's"),
                   .schema = text_of_member(one, "schema"),
                   .body = text_of_member(one, "body")});
    }
  } catch (const Error& error) {
    fail(path.string(), ": ", error.what());
  }
}

}  // namespace plumb::ir
