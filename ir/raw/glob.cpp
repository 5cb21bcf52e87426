// Matches with one step back: of the stars that were passed only the last may take more.
#include "ir/raw/glob.hpp"

#include <cctype>

namespace plumb::ir::raw {
namespace {

bool same_letter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

}  // namespace

bool glob_matches(std::string_view pattern, std::string_view text, Letters letters) {
  const auto is_same = [letters](char a, char b) {
    return a == b || (letters == Letters::either_case && same_letter(a, b));
  };
  std::size_t p = 0, t = 0, star = std::string_view::npos, after_star = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      after_star = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || is_same(pattern[p], text[t]))) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++after_star;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

}  // namespace plumb::ir::raw
