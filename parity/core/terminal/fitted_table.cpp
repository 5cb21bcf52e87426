// Tables that fit the screen: columns that go first, then names cut in the middle.
#include "parity/core/terminal/fitted_table.hpp"

#include <algorithm>

#include "ir/raw/utf8.hpp"
#include "parity/core/terminal/text.hpp"

namespace plumb::parity::core::terminal {
namespace {

constexpr std::size_t least_name = 16;

/// Columns of the screen that a line takes.
std::size_t line_width(const std::vector<Column>& columns, const std::vector<std::size_t>& widths,
                       const std::vector<bool>& shown) {
  std::size_t sum = 0;
  for (std::size_t c = 0; c < columns.size(); ++c)
    if (shown[c]) sum += widths[c] + (c == 0 ? 0 : columns[c].gap);
  return sum;
}

/// The columns that stay, of a screen so wide.
std::vector<bool> columns_that_fit(const std::vector<Column>& columns, const std::vector<std::size_t>& widths,
                                   std::size_t screen) {
  std::vector<bool> shown(columns.size(), true);
  while (line_width(columns, widths, shown) > screen) {
    std::size_t next = columns.size();
    for (std::size_t c = 0; c < columns.size(); ++c)
      if (shown[c] && columns[c].goes > 0 && (next == columns.size() || columns[c].goes < columns[next].goes)) next = c;
    if (next == columns.size()) break;
    shown[next] = false;
  }
  return shown;
}

std::string padded(const std::string& text, const Column& column, std::size_t width, bool is_last) {
  const std::size_t taken = ir::raw::count_code_points(text);
  const std::string space(width > taken ? width - taken : 0, ' ');
  if (!column.is_left) return space + text;
  return is_last ? text : text + space;
}

}  // namespace

void FittedTable::row(std::vector<std::string> cells, Colour colour) {
  for (std::string& cell : cells) cell = printable(cell);
  rows_.push_back({std::move(cells), colour});
}

std::vector<std::size_t> FittedTable::widths() const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t width = std::max(columns_[c].least, ir::raw::count_code_points(columns_[c].header));
    for (const Row& row : rows_) width = std::max(width, ir::raw::count_code_points(row.cells[c]));
    widths.push_back(width);
  }
  return widths;
}

std::vector<std::string> FittedTable::lines(const Style& style) const {
  std::vector<std::size_t> widths = this->widths();
  const std::vector<bool> shown = columns_that_fit(columns_, widths, style.width);
  if (const std::size_t all = line_width(columns_, widths, shown); all > style.width && widths[0] > least_name)
    widths[0] -= std::min(all - style.width, widths[0] - least_name);
  const auto line = [&](const std::vector<std::string>& cells, Colour colour) {
    std::string text;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (!shown[c]) continue;
      const bool is_last = c + 1 == columns_.size();
      if (c > 0) text.append(columns_[c].gap, ' ');
      const std::string cell =
          padded(c == 0 ? cut_in_the_middle(cells[c], widths[c]) : cells[c], columns_[c], widths[c], is_last);
      text += is_last ? coloured(cell, colour, style) : cell;
    }
    return text;
  };
  std::vector<std::string> headers;
  for (const Column& column : columns_) headers.push_back(column.header);
  std::vector<std::string> lines = {line(headers, Colour::none)};
  for (const Row& row : rows_) lines.push_back(line(row.cells, row.colour));
  return lines;
}

}  // namespace plumb::parity::core::terminal
