// Tables for a terminal, columns as wide as their UTF-8 text, and numbers in three digits.
#include "parity/core/terminal/table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "ir/raw/utf8.hpp"
#include "parity/core/terminal/text.hpp"

namespace plumb::parity::core::terminal {
namespace {

constexpr std::size_t widest_label = 48;

}  // namespace

void TextTable::note(const std::string& text) {
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find('\n', begin), text.size());
    rows_.push_back({"  " + text.substr(begin, end - begin)});
    begin = end + 1;
  }
}

std::string TextTable::text() const {
  std::vector<std::size_t> widths(rows_[0].size(), 0);
  for (const auto& row : rows_)
    if (row.size() > 1)
      for (std::size_t c = 0; c < row.size(); ++c)
        widths[c] = std::max(widths[c], std::min(ir::raw::count_code_points(row[c]), widest_label));
  std::string text;
  for (const auto& row : rows_) {
    std::string line = row.size() == 1 ? row[0] : "";
    for (std::size_t c = 0; c < row.size() && row.size() > 1; ++c) {
      const std::size_t width = ir::raw::count_code_points(row[c]);
      const std::string space(widths[c] > width ? widths[c] - width : 0, ' ');
      line += (c == 0 ? "" : "  ") + (c < left_ ? row[c] + space : space + row[c]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return printable(text);
}

std::string short_number(double x) {
  if (std::isnan(x)) return "-";
  const double size = std::abs(x);
  if (size >= 1000 && size < 1e7) return fmt::format("{:.0f}", x);
  return fmt::format("{:.3g}", x);
}

std::vector<std::uint64_t> place_of(std::uint64_t index, std::span<const std::uint64_t> extents) {
  std::vector<std::uint64_t> place(extents.size());
  for (std::size_t axis = extents.size(); axis-- > 0;) {
    const std::uint64_t extent = std::max<std::uint64_t>(extents[axis], 1);
    place[axis] = index % extent;
    index /= extent;
  }
  return place;
}

std::string place_text(std::uint64_t index, std::span<const std::uint64_t> extents) {
  return fmt::format("[{}]", fmt::join(place_of(index, extents), ", "));
}

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace plumb::parity::core::terminal
