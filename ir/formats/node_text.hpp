#pragma once

#include <optional>

#include "ir/formats/findings.hpp"
#include "ir/formats/json.hpp"
#include "ir/op.hpp"

namespace plumb::ir::formats {

/// The longest quotation of a name in a message: files may be hostile.
constexpr std::size_t longest_quote = 80;

/// A node as a graph file has it, taken apart; nothing in it is looked up yet.
struct NodeText {
  std::string label, op;
  std::vector<std::string> inputs;
  const JsonObject* members = nullptr;  ///< with the attributes

  std::string where() const { return cat("node '", label, "' (", op, "): "); }
};

/// Throws Error when a name must not be used in a graph file.
void check_name(std::string_view name);
/// Likewise, as a tag, which expressions over tags name.
void check_tag(std::string_view tag);

/// The string, array or object that `json` is. Throws Error, which calls it `what`.
const std::string& text_of(const Json& json, std::string_view what);
const JsonArray& array_of(const Json& json, std::string_view what);
const JsonObject& object_of(const Json& json, std::string_view what);

/// Throws Error when the object has no member of that name.
const Json& member(const Json& object, std::string_view name);

/// Throws Error when the object has a member of another name.
void check_keys(const JsonObject& object, std::initializer_list<std::string_view> known);

/// Takes a node apart. Throws Error.
NodeText parse_node(const Json& json);

/// The value of an attribute. Throws Error where it is of another kind, or no choice.
Attribute parse_attribute(const FieldInfo& field, const Json& json);

/// How a file has an attribute.
Json attribute_json(const Attribute& attribute);

/// The op with its attributes; nothing when anything was wrong, all of which is noted.
std::optional<Op> parse_op(const NodeText& node, Findings& findings);

/// Cycles among nodes of which number i reads from the nodes reads[i], each without its
/// first node at the end; no node is in two of them. At most `most` are looked for.
std::vector<std::vector<std::size_t>> find_cycles(const std::vector<std::vector<std::size_t>>& reads, std::size_t most);

}  // namespace plumb::ir::formats
