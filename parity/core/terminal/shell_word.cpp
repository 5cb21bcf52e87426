// Words of command lines that people copy.
#include "parity/core/terminal/shell_word.hpp"

#include <algorithm>
#include <cctype>

namespace plumb::parity::core::terminal {

std::string shell_word(std::string_view text) {
  const auto is_plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("_-./:=,+@%").find(static_cast<char>(c)) != std::string_view::npos;
  };
  if (!text.empty() && std::ranges::all_of(text, is_plain)) return std::string(text);
  return quoted(text);
}

std::string quoted(std::string_view text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

std::string filter_flag(std::string_view label) {
  std::string pattern = "^";
  for (const char c : label) {
    if (std::string_view("\\^$.|?*+()[]{}").find(c) != std::string_view::npos) pattern += '\\';
    pattern += c;
  }
  return " --filter " + quoted(pattern + '$');
}

}  // namespace plumb::parity::core::terminal
