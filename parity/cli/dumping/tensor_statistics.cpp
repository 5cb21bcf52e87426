// Describes tensors, in two passes over their elements.
#include "parity/cli/dumping/tensor_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "parity/core/terminal/fitted_table.hpp"
#include "parity/core/terminal/table.hpp"
#include "parity/core/terminal/text.hpp"

namespace plumb::parity::cli {
namespace {

using Json = nlohmann::ordered_json;

/// A number of finite elements; null where there are none.
Json number_or_null(double x) { return std::isnan(x) ? Json(nullptr) : Json(x); }

template <class T>
double as_number(const T& x) {
  if constexpr (ir::is_complex(ir::dtype_of<T>))
    return static_cast<double>(std::abs(x));
  else
    return static_cast<double>(x);
}

template <class T>
void count(std::span<const T> x, TensorStatistics& made) {
  double sum = 0, squares = 0;
  std::uint64_t finite = 0;
  for (const T& element : x) {
    const double value = as_number(element);
    made.nans += std::isnan(value);
    made.infinities += std::isinf(value);
    made.zeros += value == 0;
    if (!std::isfinite(value)) continue;
    made.least = finite == 0 ? value : std::min(made.least, value);
    made.most = finite == 0 ? value : std::max(made.most, value);
    sum += value;
    squares += value * value;
    ++finite;
  }
  if (finite == 0) return;
  made.mean = sum / static_cast<double>(finite);
  made.rms = std::sqrt(squares / static_cast<double>(finite));
  const double width = made.most / TensorStatistics::bins - made.least / TensorStatistics::bins;
  for (const T& element : x) {
    const double value = as_number(element);
    if (!std::isfinite(value)) continue;
    const double place = width > 0 ? (value - made.least) / width : 0;
    const auto last = static_cast<double>(TensorStatistics::bins - 1);
    ++made.histogram[static_cast<std::size_t>(std::isfinite(place) ? std::clamp(place, 0.0, last) : last)];
  }
}

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

TensorStatistics statistics_of(const ir::TensorView& x) {
  TensorStatistics made{.type = x.type(), .elements = static_cast<std::uint64_t>(x.elements())};
  ir::visit_any(x.dtype(), [&]<class T>(T) { count(x.as<T>(), made); });
  return made;
}

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

std::string to_json(const NamedStatistics& all, const std::string& about) {
  Json tensors = Json::object();
  for (const auto& [name, one] : all)
    tensors[name] = {{"type", ir::cat(one.type)},
                     {"elements", one.elements},
                     {"min", number_or_null(one.least)},
                     {"max", number_or_null(one.most)},
                     {"mean", number_or_null(one.mean)},
                     {"rms", number_or_null(one.rms)},
                     {"nan", one.nans},
                     {"inf", one.infinities},
                     {"zero", one.zeros},
                     {"histogram", one.histogram}};
  const Json whole = {{"schema", "plumb.statistics/1"}, {"dump", Json::parse(about)}, {"tensors", tensors}};
  return whole.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace plumb::parity::cli
