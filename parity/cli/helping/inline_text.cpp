// Takes the marks of Markdown out of a line.
#include "parity/cli/helping/inline_text.hpp"

#include <algorithm>
#include <optional>

namespace plumb::parity::cli {
namespace {

/// "[words](target)", which begins a text.
struct InlineLink {
  std::string_view words, target;
  std::size_t bytes;
};

std::optional<InlineLink> link_at(std::string_view text) {
  const std::size_t middle = text.find("](");
  if (!text.starts_with('[') || middle == text.npos || text.find('[', 1) < middle) return std::nullopt;
  const std::size_t end = text.find(')', middle);
  if (end == text.npos) return std::nullopt;
  return InlineLink{text.substr(1, middle - 1), text.substr(middle + 2, end - middle - 2), end + 1};
}

std::string text_of(const InlineLink& link) {
  std::string_view target = link.target.substr(0, link.target.find('#'));
  while (target.starts_with("../")) target.remove_prefix(3);
  std::string words = inline_text(link.words);
  if (target.empty() || words.find(target) != words.npos) return words;
  return words.append(" (").append(target).append(")");
}

}  // namespace

std::string inline_text(std::string_view markdown) {
  constexpr std::string_view escaped = "\\*_|#[]`<>";
  std::string text;
  while (!markdown.empty()) {
    std::size_t taken = 1;
    if (markdown[0] == '`') {
      taken = std::min(markdown.find('`', 1), markdown.size() - 1) + 1;
      text += markdown.substr(0, taken);
    } else if (markdown.starts_with("**")) {
      taken = 2;
    } else if (markdown[0] == '\\' && markdown.size() > 1 && escaped.find(markdown[1]) != escaped.npos) {
      taken = 2;
      text += markdown[1];
    } else if (const auto link = link_at(markdown)) {
      taken = link->bytes;
      text += text_of(*link);
    } else {
      text += markdown[0];
    }
    markdown.remove_prefix(taken);
  }
  return text;
}

}  // namespace plumb::parity::cli
