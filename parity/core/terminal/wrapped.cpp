// Paragraphs of Markdown wrapped at 120 columns, without line breaks that would begin a list or a heading.
#include "parity/core/terminal/wrapped.hpp"

#include <algorithm>
#include <vector>

#include "ir/raw/utf8.hpp"

namespace plumb::parity::core::terminal {
namespace {

constexpr std::size_t most_columns = 120;

/// The parts between spaces, but for spaces in code spans.
std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  bool in_code = false;
  std::size_t start = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '`') in_code = !in_code;
    if (i < text.size() && (text[i] != ' ' || in_code)) continue;
    if (i > start) words.push_back(text.substr(start, i - start));
    start = i + 1;
  }
  return words;
}

/// Words that would begin a list, a heading or a quotation at the start of a line.
bool begins_a_block(std::string_view word) {
  return word == "+" || word == "-" || word == "*" || word.starts_with('#') || word.starts_with('>') ||
         word.starts_with('|') || word.starts_with('=');
}

}  // namespace

std::string wrapped(std::string_view paragraph, std::string_view indent) {
  std::string text, line;
  for (const std::string_view word : words_of(paragraph)) {
    const bool fits = ir::raw::count_code_points(line) + 1 + ir::raw::count_code_points(word) <= most_columns;
    if (line.empty()) {
      line = word;
    } else if (fits) {
      line.append(" ").append(word);
    } else {
      // A word that may not begin a line takes the one before it along.
      const std::size_t cut = begins_a_block(word) ? line.rfind(' ') : line.size();
      const std::string carried = cut < line.size() ? line.substr(cut + 1) + " " : "";
      text.append(line, 0, cut).append("\n");
      line = std::string(indent) + carried;
      line.append(word);
    }
  }
  return text + line + "\n";
}

}  // namespace plumb::parity::core::terminal
