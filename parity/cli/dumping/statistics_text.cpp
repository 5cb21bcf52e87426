// A table of what describes tensors.
#include "parity/cli/dumping/statistics_text.hpp"

#include <algorithm>
#include <cmath>

#include "parity/core/terminal/fitted_table.hpp"
#include "parity/core/terminal/table.hpp"
#include "parity/core/terminal/text.hpp"

namespace plumb::parity::cli {
namespace {

using ir::formats::NamedStatistics, ir::formats::TensorStatistics;

/// The most elements of a bin are the darkest character; any element at all is not blank.
std::string picture_of(const TensorStatistics& one) {
  constexpr std::string_view shades = " .:-=+*#%@";
  const std::uint64_t most = std::max<std::uint64_t>(*std::ranges::max_element(one.histogram), 1);
  std::string text;
  for (const std::uint64_t found : one.histogram) {
    const double share = static_cast<double>(found) / static_cast<double>(most);
    text += shades[static_cast<std::size_t>(std::ceil(share * static_cast<double>(shades.size() - 1)))];
  }
  return text;
}

}  // namespace

std::string to_text(const NamedStatistics& all, const core::terminal::Style& style) {
  using core::terminal::short_number;
  core::terminal::FittedTable table({{.header = "tensor", .is_left = true},
                                     {.header = "type", .is_left = true, .goes = 2},
                                     {.header = "min"},
                                     {.header = "max"},
                                     {.header = "mean", .goes = 4},
                                     {.header = "rms"},
                                     {.header = "NaN"},
                                     {.header = "inf"},
                                     {.header = "zero", .goes = 3},
                                     {.header = "min to max", .is_left = true, .goes = 1}});
  for (const auto& [name, one] : all)
    table.row({core::terminal::printable(name), ir::cat(one.type), short_number(one.least), short_number(one.most),
               short_number(one.mean), short_number(one.rms), std::to_string(one.nans), std::to_string(one.infinities),
               std::to_string(one.zeros), '|' + picture_of(one) + '|'});
  std::string text;
  for (const std::string& line : table.lines(style)) text += line + '\n';
  return text;
}

}  // namespace plumb::parity::cli
