// Finds the word that was probably meant by one that is misspelt.
#include "parity/core/did_you_mean.hpp"

#include <algorithm>
#include <utility>

namespace plumb::parity::core {
namespace {

std::string small(std::string_view text) {
  std::string made(text);
  for (char& c : made)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return made;
}

/// Edits that make one of the other (restricted Damerau-Levenshtein distance).
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool are_swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (are_swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = std::exchange(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::string did_you_mean(std::string_view found, const std::vector<std::string>& words, std::string_view prefix) {
  std::string_view best;
  std::size_t fewest = found.size();
  const std::string asked = small(found);
  for (const std::string& word : words) {
    const std::size_t count = edits(asked, small(word));
    if (count >= fewest || 2 * count >= word.size()) continue;
    fewest = count;
    best = word;
  }
  return best.empty() ? "" : "; did you mean " + std::string(prefix) + std::string(best) + "?";
}

}  // namespace plumb::parity::core
