// Text that is safe to show and as wide as the screen: control characters, cut names, folded lines.
#include "parity/core/terminal/text.hpp"

#include <algorithm>

#include "ir/raw/utf8.hpp"

namespace plumb::parity::core::terminal {
namespace {

/// The byte at which the character of this number begins.
std::size_t start_of(std::string_view text, std::size_t number) {
  std::size_t at = 0;
  for (; number > 0 && at < text.size(); --number) at += ir::raw::code_point_at(text, at).bytes;
  return at;
}

/// One line folded; it has no end of line.
std::string folded_line(std::string_view line, std::size_t width, std::string_view indent) {
  std::string text(line.substr(0, std::min(line.find_first_not_of(' '), line.size())));
  std::size_t taken = text.size();
  bool is_begun = false;  // the line has a word
  for (std::size_t at = text.size(); at < line.size();) {
    const std::size_t end = std::min(line.find(' ', at), line.size());
    const std::string_view word = line.substr(at, end - at);
    const std::size_t columns = ir::raw::count_code_points(word);
    if (is_begun && taken + 1 + columns > width) {
      text.append("\n").append(indent);
      taken = indent.size();
      is_begun = false;
    }
    if (is_begun) {
      text += ' ';
      ++taken;
    }
    text += word;
    taken += columns;
    is_begun = true;
    at = end + 1;
  }
  return text;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string shown;
  for (std::size_t at = 0; at < text.size();) {
    const ir::raw::CodePoint one = ir::raw::code_point_at(text, at);
    const bool is_space = one.value == '\n' || one.value == '\t';
    const bool is_in_xml = one.value != 0xFFFE && one.value != 0xFFFF;
    const bool is_shown = one.is_valid && is_in_xml && (is_space || !ir::raw::is_control(one.value));
    if (is_shown)
      shown += text.substr(at, one.bytes);
    else
      shown += "\uFFFD";
    at += one.bytes;
  }
  return shown;
}

std::string cut_in_the_middle(std::string_view text, std::size_t width) {
  constexpr std::string_view gap = "..";
  const std::size_t all = ir::raw::count_code_points(text);
  if (all <= width || width <= gap.size()) return std::string(text);
  const std::size_t kept = width - gap.size(), behind = kept / 2;
  std::string cut(text.substr(0, start_of(text, kept - behind)));
  return cut.append(gap).append(text.substr(start_of(text, all - behind)));
}

std::string folded(std::string_view text, std::size_t width, std::string_view indent) {
  std::string lines;
  while (true) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines += folded_line(text.substr(0, end), width, indent);
    if (end == text.size()) return lines;
    lines += '\n';
    text.remove_prefix(end + 1);
  }
}

std::string fitted(std::string_view lines, std::size_t width, std::size_t column) {
  constexpr std::size_t deeper = 4, least_room = 24;
  std::string text;
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    const std::size_t own = std::min(line.find_first_not_of(' '), line.size()) + deeper;
    const bool is_hanging = column > 0 && column + least_room <= width;
    const std::size_t indent = std::min(is_hanging ? column : own, width / 2);
    text += folded_line(line, width, std::string(indent, ' '));
    if (line.size() == lines.size()) break;
    text += '\n';
    lines.remove_prefix(line.size() + 1);
  }
  return text;
}

}  // namespace plumb::parity::core::terminal
