#include "parity/core/toml_text.hpp"

#include <algorithm>

#include "ir/error.hpp"

namespace plumb::parity::core {
namespace {

/// toml++ 3.4 takes it for granted that a table's header begins with a key, and is undefined
/// where it does not; so no line may start with a bracket that no key follows.
void require_keys_in_headers(std::string_view text, const std::string& file) {
  std::size_t line = 1;
  for (std::size_t at = 0; at < text.size(); ++line) {
    const auto end = std::min(text.find('\n', at), text.size());
    const std::string_view here = text.substr(at, end - at);
    at = end + 1;
    const auto bracket = here.find_first_not_of("\xEF\xBB\xBF \t\r\v\f");
    if (bracket == std::string_view::npos || here[bracket] != '[') continue;
    const auto key = here.find_first_not_of(" \t[", bracket);
    const char c = key == std::string_view::npos ? ' ' : here[key];
    const bool is_key = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                        c == '-' || c == '"' || c == '\'';
    const bool is_deeper = here.substr(bracket, 3) == "[[[" || here.find('[', bracket + 2) < key;
    if (!is_key || is_deeper) ir::fail(file, ':', line, ": no TOML: wanted a table's name after '['");
  }
}

}  // namespace

toml::table parse_toml(std::string_view text, const std::string& file) {
  require_keys_in_headers(text, file);
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    ir::fail(file, ':', error.source().begin.line, ": no TOML: ", error.description());
  }
}

std::string kind_of(const toml::node& node) {
  const std::string name = ir::cat(node.type());
  return (std::string_view("aeiou").find(name.front()) == std::string_view::npos ? "a " : "an ") + name;
}

}  // namespace plumb::parity::core
