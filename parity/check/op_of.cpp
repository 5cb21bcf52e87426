// Reads an op and its attributes from a command line.
#include <algorithm>

#include "ir/formats/json.hpp"
#include "ir/formats/node_text.hpp"
#include "ir/op_list.hpp"
#include "ir/registered_op.hpp"
#include "parity/check/check.hpp"
#include "parity/core/did_you_mean.hpp"

namespace plumb::parity::check {
namespace {

namespace formats = ir::formats;

constexpr formats::JsonLimits value_limits{.bytes = 1 << 20, .values = 1 << 16, .depth = 8};
constexpr std::size_t longest_quote = 80;

const ir::OpSchema& schema_of(const std::string& name, const WordNames& called) {
  const ir::OpSchema* const schema = ir::find_schema(name);
  if (schema != nullptr) return *schema;
  std::vector<std::string> names;
  for (const ir::OpSchema* one : ir::known_schemas()) names.emplace_back(one->name);
  const std::string meant = core::did_you_mean(name, names);
  ir::fail(called.op, ": there is no op '", name.substr(0, longest_quote), "'",
           meant.empty() ? "; `plumb ops` lists them" : meant);
}

/// The values that an attribute may have: "int", "one of max, min".
std::string kind_of(const ir::FieldInfo& field) {
  std::string choices;
  for (const std::string_view choice : field.choices) choices += (choices.empty() ? "" : ", ") + std::string(choice);
  return choices.empty() ? std::string(field.kind) : "one of " + choices;
}

/// The value as JSON. A word that is none is one of the attributes that are words.
formats::Json value_of(const ir::FieldInfo* field, const std::string& text) {
  const bool is_word = field != nullptr && (field->kind == "enum" || field->kind == "string" ||
                                            field->kind == "bytes" || field->kind.starts_with("dtype"));
  if (is_word && !text.starts_with('"')) return formats::Json(text);
  return formats::parse_json(text, value_limits);
}

void require_choice(const ir::FieldInfo& field, const std::string& text, const WordNames& called) {
  if (field.choices.empty() || text.starts_with('"')) return;
  if (std::ranges::find(field.choices, std::string_view(text)) != field.choices.end()) return;
  ir::fail(called.attribute, " ", field.name, ": there is no '", text.substr(0, longest_quote), "'",
           core::did_you_mean(text, {field.choices.begin(), field.choices.end()}), "; it is ", kind_of(field));
}

}  // namespace

ir::Op op_of(const std::string& name, const Words& attributes, const WordNames& called) {
  const ir::OpSchema& schema = schema_of(name, called);
  const auto fields = schema.fields();
  std::vector<std::string> names;
  for (const ir::FieldInfo& field : fields) names.emplace_back(field.name);
  const bool has_data = std::ranges::find(names, "data") != names.end();  // for which "values" may stand
  formats::JsonObject members;
  for (const auto& [attribute, text] : attributes) {
    const auto field = std::ranges::find(fields, std::string_view(attribute), &ir::FieldInfo::name);
    if (field == fields.end() && !(has_data && attribute == "values"))
      ir::fail(called.attribute, ": ", name, " has no attribute '", attribute.substr(0, longest_quote), "'",
               core::did_you_mean(attribute, names), "; `plumb ops ", name, "` lists them");
    const bool is_twice = std::ranges::count(attributes, attribute, &Words::value_type::first) > 1;
    ir::require(!is_twice, called.attribute, " ", attribute, " is given twice");
    if (field != fields.end()) require_choice(*field, text, called);
    try {
      members.emplace_back(attribute, value_of(field != fields.end() ? &*field : nullptr, text));
    } catch (const ir::Error& error) {
      ir::fail(called.attribute, " ", attribute, ": is ", field != fields.end() ? kind_of(*field) : "an array",
               ", got '", text.substr(0, longest_quote), "': ", error.what());
    }
  }
  std::string missing;
  for (const ir::FieldInfo& field : fields) {
    const bool is_given = std::ranges::any_of(attributes, [&](const auto& one) {
      return one.first == field.name || (field.name == "data" && one.first == "values");
    });
    if (field.presence == ir::Presence::required && !is_given)
      missing += ir::cat(missing.empty() ? "" : ", ", called.attribute, " ", field.name, "=... (", kind_of(field), ")");
  }
  ir::require(missing.empty(), name, " needs ", missing);
  formats::Findings findings;
  const auto op = formats::parse_op({.label = "y", .op = name, .inputs = {}, .members = &members}, findings);
  findings.throw_if_any();
  return op.value();
}

}  // namespace plumb::parity::check
