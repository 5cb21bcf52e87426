// Lays out pages of docs/ as text: what kind of block each line belongs to, then each block by itself.
#include "parity/cli/helping/markdown_text.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

#include "ir/raw/utf8.hpp"
#include "parity/cli/helping/inline_text.hpp"
#include "parity/core/terminal/text.hpp"

namespace plumb::parity::cli {
namespace {

using Cells = std::vector<std::string>;

std::string_view without_margins(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

/// The cells of a line "| a | b |"; a bar that a cell has is written \|.
Cells cells_of(std::string_view line) {
  Cells cells(1);
  line = without_margins(line).substr(1);
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\' && i + 1 < line.size() && line[i + 1] == '|')
      cells.back() += line[++i];
    else if (line[i] == '|')
      cells.emplace_back();
    else
      cells.back() += line[i];
  }
  if (without_margins(cells.back()).empty()) cells.pop_back();
  for (std::string& cell : cells) cell = inline_text(without_margins(cell));
  return cells;
}

std::string padded(const std::string& text, std::size_t columns) {
  const std::size_t taken = ir::raw::count_code_points(text);
  return text + std::string(columns > taken ? columns - taken : 0, ' ');
}

/// How many columns of the screen stand before `*` or `1.` and the space behind it; 0 of a line that begins no item.
std::size_t columns_before_item(std::string_view line) {
  const std::size_t margin = std::min(line.find_first_not_of(' '), line.size());
  const std::string_view text = line.substr(margin);
  if (text.starts_with("* ") || text.starts_with("- ")) return margin + 2;
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  return digits > 0 && text.substr(digits).starts_with(". ") ? margin + digits + 2 : 0;
}

class Layout {
 public:
  explicit Layout(std::size_t width) : width_(width) {}

  void take(std::string_view line);
  std::string finish();

 private:
  void end_block();
  void lay_out_table();
  void add(std::string_view lines);
  void add_row_as_list(const Cells& head, const Cells& row);

  std::size_t width_;
  std::string text_, paragraph_, margin_;  ///< the last: before each further line of the paragraph
  std::vector<Cells> table_;
  bool is_code_ = false;
};

void Layout::add(std::string_view lines) {
  text_ += lines.substr(0, lines.find_last_not_of(' ') + 1);
  text_ += '\n';
}

void Layout::add_row_as_list(const Cells& head, const Cells& row) {
  const std::string deeper(4, ' ');
  add(core::terminal::folded(row[0], width_, "  "));
  for (std::size_t i = 1; i < row.size(); ++i) {
    if (row[i].empty()) continue;
    const std::string name = i < head.size() && !head[i].empty() ? head[i] + ": " : "";
    add(core::terminal::folded(deeper + name + row[i], width_, deeper));
  }
}

void Layout::lay_out_table() {
  constexpr std::size_t gap = 2, least_room = 30;
  std::size_t columns = 0, before_last = 0;
  for (const Cells& row : table_) columns = std::max(columns, row.size());
  std::vector<std::size_t> widths(columns);
  for (const Cells& row : table_)
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], ir::raw::count_code_points(row[i]) + gap);
  for (std::size_t i = 0; i + 1 < columns; ++i) before_last += widths[i];
  const bool fits = before_last + std::min(widths.back(), least_room) <= width_;
  for (const Cells& row : table_) {
    const bool is_empty = std::ranges::all_of(row, [](const std::string& cell) { return cell.empty(); });
    if (is_empty || (!fits && &row == &table_[0])) continue;  // a head goes before the cells of a list
    if (!fits) {
      add_row_as_list(table_[0], row);
      continue;
    }
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) line += i + 1 < columns ? padded(row[i], widths[i]) : row[i];
    add(core::terminal::folded(line, width_, std::string(before_last, ' ')));
  }
  table_.clear();
}

void Layout::end_block() {
  if (!table_.empty()) lay_out_table();
  if (!paragraph_.empty()) add(core::terminal::folded(inline_text(paragraph_), width_, margin_));
  paragraph_.clear();
}

void Layout::take(std::string_view line) {
  const std::string_view words = without_margins(line);
  if (words.starts_with("```")) {
    end_block();
    is_code_ = !is_code_;
    return;
  }
  if (is_code_) return add("    " + std::string(line));
  if (words.starts_with('|')) {
    if (table_.empty()) end_block();
    if (words.find_first_not_of("|-: ") != words.npos || table_.empty()) table_.push_back(cells_of(words));
    return;
  }
  if (!table_.empty() || words.empty()) end_block();
  if (words.empty()) return text_.empty() || text_.ends_with("\n\n") ? void() : add("");
  if (words.starts_with('#') || words.starts_with("<!--")) {
    end_block();
    if (words.starts_with("<!--")) return;
    const std::string title = inline_text(words.substr(std::min(words.find_first_not_of("# "), words.size())));
    add(core::terminal::folded(title, width_));
    add(std::string(std::min(ir::raw::count_code_points(title), width_), words.starts_with("# ") ? '=' : '-'));
  } else if (const std::size_t columns = columns_before_item(line); columns > 0) {
    end_block();
    paragraph_ = line;
    margin_ = std::string(columns, ' ');
  } else if (!paragraph_.empty()) {
    paragraph_.append(" ").append(words);
  } else if (line.starts_with("    ")) {
    add(line);  // code, which four spaces mark
  } else {
    paragraph_ = line;
    margin_ = std::string(line.find_first_not_of(' '), ' ');
  }
}

std::string Layout::finish() {
  end_block();
  return text_;
}

}  // namespace

std::string markdown_text(std::string_view markdown, std::size_t width) {
  constexpr std::string_view bar = "---\n";
  // Lines for programs that read the page stand before it, between two bars.
  if (markdown.starts_with(bar)) markdown.remove_prefix(markdown.find(bar, bar.size()) + bar.size());
  Layout layout(width);
  while (!markdown.empty()) {
    const std::size_t end = std::min(markdown.find('\n'), markdown.size());
    layout.take(markdown.substr(0, end));
    markdown.remove_prefix(std::min(end + 1, markdown.size()));
  }
  return layout.finish();
}

}  // namespace plumb::parity::cli
