// Takes objects of JSON apart.
#include "parity/check/flashinfer/fields.hpp"

#include <algorithm>

#include "ir/raw/utf8.hpp"
#include "parity/core/did_you_mean.hpp"

namespace plumb::parity::check::flashinfer {

using ir::formats::Json;

std::string in_quotes(std::string_view name) {
  constexpr std::size_t longest = 80;
  return ir::cat('\'', ir::raw::shown(name, longest), '\'');
}

std::int64_t extent_of(const Json& json, const std::string& what) {
  constexpr std::int64_t most = std::int64_t{1} << 40;
  const std::int64_t* const number = json.whole();
  ir::require(number != nullptr && *number >= 0 && *number <= most, what, " must be a whole number from 0 to ", most,
              ", got ", number != nullptr ? std::to_string(*number) : std::string(json.kind()));
  return *number;
}

Fields::Fields(const Json& json, std::string where, const std::vector<std::string>& known)
    : json_(json), where_(std::move(where)) {
  ir::require(json.object() != nullptr, where_, ": must be an object, got ", json.kind());
  for (const auto& [name, value] : *json.object())
    ir::require(std::ranges::find(known, name) != known.end(), where_, ": there is no field ", in_quotes(name),
                core::did_you_mean(name, known));
}

const Json* Fields::find(std::string_view name) const {
  const Json* const found = json_.find(name);
  return found != nullptr && std::holds_alternative<std::nullptr_t>(found->value) ? nullptr : found;
}

const Json& Fields::need(std::string_view name) const {
  const Json* const found = find(name);
  ir::require(found != nullptr, where_, ": field '", name, "' is missing");
  return *found;
}

const std::string& Fields::text(std::string_view name) const {
  const Json& found = need(name);
  ir::require(found.text() != nullptr && !found.text()->empty(), where_, ": field '", name,
              "' must be a text that is not empty, got ", found.text() != nullptr ? "\"\"" : found.kind());
  return *found.text();
}

std::int64_t Fields::extent(std::string_view name) const {
  return extent_of(need(name), ir::cat(where_, ": field '", name, "'"));
}

std::vector<std::string> Fields::texts(std::string_view name) const {
  const Json& found = need(name);
  ir::require(found.array() != nullptr, where_, ": field '", name, "' must be an array, got ", found.kind());
  std::vector<std::string> texts;
  for (const Json& one : *found.array()) {
    ir::require(one.text() != nullptr && !one.text()->empty(), where_, ": field '", name,
                "' must hold texts that are not empty, got ", one.text() != nullptr ? "\"\"" : one.kind());
    texts.push_back(*one.text());
  }
  return texts;
}

const ir::formats::JsonObject& Fields::object(std::string_view name) const {
  const Json& found = need(name);
  ir::require(found.object() != nullptr, where_, ": field '", name, "' must be an object, got ", found.kind());
  return *found.object();
}

}  // namespace plumb::parity::check::flashinfer
