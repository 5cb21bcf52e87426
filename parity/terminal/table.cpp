// Tables for a terminal, columns as wide as their UTF-8 text, and numbers in three digits.
#include "parity/core/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace plumb::parity::core {
namespace {

constexpr std::size_t widest_label = 48;

/// The characters of UTF-8 text; a terminal shows most of them one column wide.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

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
        widths[c] = std::max(widths[c], std::min(width_of(row[c]), widest_label));
  std::string text;
  for (const auto& row : rows_) {
    std::string line = row.size() == 1 ? row[0] : "";
    for (std::size_t c = 0; c < row.size() && row.size() > 1; ++c) {
      const std::size_t width = width_of(row[c]);
      const std::string space(widths[c] > width ? widths[c] - width : 0, ' ');
      line += (c == 0 ? "" : "  ") + (c < left_ ? row[c] + space : space + row[c]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

std::string short_number(double x) {
  if (std::isnan(x)) return "-";
  const double size = std::abs(x);
  if (size >= 1000 && size < 1e7) return fmt::format("{:.0f}", x);
  return fmt::format("{:.3g}", x);
}

}  // namespace plumb::parity::core
