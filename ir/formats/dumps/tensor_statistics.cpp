// Describes tensors, in two passes over their elements.
#include "ir/formats/dumps/tensor_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace plumb::ir::formats {
namespace {

using StatisticsJson = nlohmann::ordered_json;

/// A number of finite elements; null where there are none.
StatisticsJson finite_or_null(double x) { return std::isnan(x) ? StatisticsJson(nullptr) : StatisticsJson(x); }

template <class T>
double as_number(const T& x) {
  if constexpr (is_complex(dtype_of<T>))
    return static_cast<double>(std::abs(x));
  else
    return static_cast<double>(x);
}

template <class T>
void count_elements(std::span<const T> x, TensorStatistics& made) {
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

}  // namespace

TensorStatistics statistics_of(const TensorView& x) {
  TensorStatistics made{.type = x.type(), .elements = static_cast<std::uint64_t>(x.elements())};
  visit_any(x.dtype(), [&]<class T>(T) { count_elements(x.as<T>(), made); });
  return made;
}

std::string statistics_json(const NamedStatistics& all, const std::string& about) {
  StatisticsJson tensors = StatisticsJson::object();
  for (const auto& [name, one] : all)
    tensors[name] = {{"type", cat(one.type)},
                     {"elements", one.elements},
                     {"min", finite_or_null(one.least)},
                     {"max", finite_or_null(one.most)},
                     {"mean", finite_or_null(one.mean)},
                     {"rms", finite_or_null(one.rms)},
                     {"nan", one.nans},
                     {"inf", one.infinities},
                     {"zero", one.zeros},
                     {"histogram", one.histogram}};
  const StatisticsJson whole = {
      {"schema", "plumb.statistics/1"}, {"dump", StatisticsJson::parse(about)}, {"tensors", tensors}};
  return whole.dump(2, ' ', false, StatisticsJson::error_handler_t::replace) + '\n';
}

}  // namespace plumb::ir::formats
