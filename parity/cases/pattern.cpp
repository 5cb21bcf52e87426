// Patterns of failing elements in words.
#include "parity/cases/pattern.hpp"

namespace plumb::parity::cases {

std::string to_text(const std::vector<Pattern>& patterns, const std::string& kernel, const std::string& tile) {
  std::string text;
  for (const Pattern& one : patterns) text += (text.empty() ? "" : "; ") + one.text;
  if (text.empty() || kernel.empty()) return text;
  return text + " (" + kernel + (tile.empty() ? "" : " " + tile) + ")";
}

}  // namespace plumb::parity::cases
