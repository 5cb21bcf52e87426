// How much of a comparison proves nothing: zeros that came in, saturation, constant rows, sums without rounding.
#include "parity/compare/vacuity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ir/cost.hpp"
#include "parity/compare/element_counts.hpp"
#include "parity/core/float_format.hpp"

namespace plumb::parity::compare {
namespace {

using Numbers = std::span<const double>;

double share(Numbers numbers, auto holds) {
  if (numbers.empty()) return 0;
  return static_cast<double>(std::ranges::count_if(numbers, holds)) / static_cast<double>(numbers.size());
}

double zeros_that_came_in(std::span<const ir::TensorView> inputs) {
  double most = 0;
  for (const ir::TensorView& input : inputs)
    if (!ir::is_complex(input.dtype())) most = std::max(most, share_of_zeros(input));
  return most;
}

double saturated(const core::Segment& segment, const Comparison& known, Numbers truth, ir::DType dtype) {
  if (!ir::is_float(dtype)) return 0;
  const double overflow = core::float_format(dtype).overflow();
  const bool saturates = segment.graph.nodes().back().op.saturates();
  const double next_to_one = saturates ? 1 - ir::unit_roundoff(dtype) / 2 : overflow;
  if (known.expected_absmax < next_to_one && known.n_nan_got + known.n_inf_got == 0) return 0;
  return share(truth, [=](double y) {
    const double magnitude = std::abs(y);
    return (magnitude >= next_to_one && magnitude <= 1) || (std::isfinite(y) && magnitude >= overflow);
  });
}

/// The share of elements in rows that repeat one element; rows of one element do not count.
double constant_rows(Numbers truth, const ir::Shape& shape) {
  const std::size_t width = shape.empty() ? truth.size() : static_cast<std::size_t>(shape.back());
  if (width < 2 || truth.empty()) return 0;
  std::size_t constant = 0;
  for (std::size_t first = 0; first < truth.size(); first += width)
    constant += std::ranges::all_of(truth.subspan(first, width), [&](double y) { return y == truth[first]; });
  return static_cast<double>(constant * width) / static_cast<double>(truth.size());
}

/// The most terms that a node sums for one element.
std::int64_t terms(const core::Segment& segment) {
  std::int64_t most = 0;
  for (const ir::Node& node : segment.graph.nodes())
    most = std::max(most, ir::cost_of(segment.graph, node).contraction);
  return most;
}

}  // namespace

double Vacuity::score() const { return std::max({zeros, saturated, not_finite, constant, exact}); }

std::string Vacuity::text() const {
  std::string text;
  const auto add = [&](const char* name, double value) {
    if (value > 0) text += fmt::format("{}{} {:.2f}", text.empty() ? "" : ", ", name, value);
  };
  add("zeros", zeros);
  add("saturated", saturated);
  add("not finite", not_finite);
  add("constant rows", constant);
  add("exact sums", exact);
  return text;
}

Vacuity vacuity_of(const core::Segment& segment, std::span<const ir::TensorView> inputs, const ir::TensorView& truth,
                   ir::DType dtype, const Comparison& known) {
  Vacuity vacuity;
  if (ir::is_complex(truth.dtype()) || known.n == 0) return vacuity;
  const auto share_of = [&](std::uint64_t count) { return static_cast<double>(count) / static_cast<double>(known.n); };
  const ir::Tensor converted = truth.dtype() == ir::DType::f64 ? ir::Tensor() : ir::convert(truth, ir::DType::f64);
  const Numbers y = truth.dtype() == ir::DType::f64 ? truth.as<double>() : converted.as<double>();
  vacuity.not_finite = share_of(known.n_nan_expected + known.n_inf_expected);
  const ir::ErrorClass error_class = segment.judged.error_class;
  const bool is_moved = error_class == ir::ErrorClass::bits || error_class == ir::ErrorClass::exact;
  const double rows = constant_rows(y, truth.shape());
  if (!is_moved || rows == 1) vacuity.constant = rows;
  if (is_moved) return vacuity;
  const double zeros = share_of(known.n_zero_expected);
  vacuity.zeros = zeros > 0 ? std::min(zeros, zeros_that_came_in(inputs)) : 0;
  vacuity.saturated = saturated(segment, known, y, dtype);
  if (terms(segment) > 1 && ir::is_float(dtype)) vacuity.exact = share_of(known.n_exact);
  return vacuity;
}

}  // namespace plumb::parity::compare
