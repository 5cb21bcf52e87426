// Finds the word that was probably meant by one that is misspelt.
#include "parity/core/did_you_mean.hpp"

#include "parity/core/edits.hpp"

namespace plumb::parity::core {
namespace {

std::string small(std::string_view text) {
  std::string made(text);
  for (char& c : made)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return made;
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
