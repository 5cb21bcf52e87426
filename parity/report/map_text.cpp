// Maps of ratios for a terminal.
#include "parity/report/map_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "parity/core/terminal/table.hpp"

namespace plumb::parity::report {
namespace {

using compare::RatioMap;

constexpr std::size_t most_lines = 16, most_signs = 32, label_every = 8;

/// One axis of a map, cut into signs: cells, and rows or columns of the output.
struct Axis {
  std::uint64_t extent;
  std::size_t cells, signs;

  std::size_t first_cell(std::size_t sign) const { return sign * cells / signs; }
  /// The first row or column whose element lies in that sign.
  std::uint64_t first(std::size_t sign) const {
    const std::size_t cell = first_cell(sign);
    return extent > RatioMap::side ? (cell * extent + RatioMap::side - 1) / RatioMap::side : cell;
  }
};

std::uint8_t largest(const RatioMap& map, const Axis& down, const Axis& across, std::size_t line, std::size_t sign) {
  std::uint8_t most = 0;
  for (std::size_t row = down.first_cell(line); row < down.first_cell(line + 1); ++row)
    for (std::size_t column = across.first_cell(sign); column < across.first_cell(sign + 1); ++column)
      most = std::max(most, map.at(row, column));
  return most;
}

std::string column_labels(const Axis& across) {
  std::string labels;
  for (std::size_t sign = 0; sign < across.signs; sign += label_every) {
    const std::string label = std::to_string(across.first(sign));
    if (!labels.empty() && labels.size() >= sign) continue;  // the one before it is as long as that
    labels += std::string(sign - labels.size(), ' ') + label;
  }
  return labels;
}

}  // namespace

std::size_t map_level(std::uint8_t cell) {
  if (cell == RatioMap::not_finite) return 9;
  constexpr std::size_t within = RatioMap::at_limit + 1, beyond = RatioMap::largest - RatioMap::at_limit;
  return cell < within ? cell * 5 / within : 5 + (cell - within) * 4 / beyond;
}

std::string map_text(const cases::NodeResult& node) {
  const RatioMap& map = node.gated().map;
  const Axis down{map.extents.rows, map.used_rows(), std::min(map.used_rows(), most_lines)},
      across{map.extents.columns, map.used_columns(), std::min(map.used_columns(), most_signs)};
  std::string text = fmt::format("{} ({}) {}: {}, ratio {}\n", node.name(), node.op, ir::cat(node.type),
                                 ir::enum_name(node.verdict), core::terminal::short_number(node.gated().ratio()));
  if (down.signs * across.signs == 0) return text + "it has no elements\n";
  text += fmt::format("{} rows of {} columns; each sign is the largest error over its limit of a part\n", down.extent,
                      across.extent);
  const std::size_t width = std::max(std::to_string(down.extent).size(), std::string_view("row").size());
  text += fmt::format("{:>{}}  {}\n", "row", width, column_labels(across));
  for (std::size_t line = 0; line < down.signs; ++line) {
    text += fmt::format("{:>{}} |", down.first(line), width);
    for (std::size_t sign = 0; sign < across.signs; ++sign)
      text += map_signs[map_level(largest(map, down, across, line, sign))];
    text += "|\n";
  }
  return text +
         "' ' below 0.012, . below 0.037, : below 0.11, - below 0.34, = to the limit\n"
         "+ to 4 times the limit, * to 16, # to 64, % more, @ not finite\n";
}

}  // namespace plumb::parity::report
