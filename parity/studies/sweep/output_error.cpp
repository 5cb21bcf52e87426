#include "parity/studies/sweep/output_error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "parity/compare/measure.hpp"

namespace plumb::parity::studies::sweep {
namespace {

/// The first of the largest elements, a NaN being larger than any number.
std::size_t first_largest(std::span<const double> line) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < line.size() && !std::isnan(line[best]); ++i)
    if (std::isnan(line[i]) || line[i] > line[best]) best = i;
  return best;
}

double top1_agreement(const ir::TensorView& truth, const ir::TensorView& got) {
  const ir::Shape& shape = truth.shape();
  if (shape.empty() || shape.back() < 2 || truth.elements() == 0) return compare::not_computed;
  const auto length = static_cast<std::size_t>(shape.back());
  const ir::Tensor found = ir::convert(got, ir::DType::f64);
  const auto y = truth.as<double>(), c = found.as<double>();
  std::size_t lines = 0, agree = 0;
  for (std::size_t at = 0; at < y.size(); at += length, ++lines) {
    const auto line = y.subspan(at, length);
    const double largest = line[first_largest(line)], chosen = line[first_largest(c.subspan(at, length))];
    agree += chosen == largest || (std::isnan(chosen) && std::isnan(largest));
  }
  return static_cast<double>(agree) / static_cast<double>(lines);
}

}  // namespace

OutputError error_of(const ir::TensorView& truth, const ir::TensorView& got, ir::DType written_in) {
  const compare::Comparison c = compare::measure(truth, {&got, 1}, written_in).front();
  constexpr double infinite = std::numeric_limits<double>::infinity();
  const bool is_finite = c.n_bad == 0;
  return {.max_abs = is_finite ? c.max_abs.value : infinite,
          .rel_l2 = is_finite ? c.rel_l2 : infinite,
          .cosine = is_finite ? c.cosine : compare::not_computed,
          .top1 = top1_agreement(truth, got)};
}

double snr_db(double rel_l2) { return -20 * std::log10(rel_l2); }

std::vector<double> OutputErrors::sorted(double OutputError::*measure) const {
  std::vector<double> numbers;
  for (const OutputError& one : samples) {
    if (std::isnan(one.*measure)) return {};
    numbers.push_back(one.*measure);
  }
  std::ranges::sort(numbers);
  return numbers;
}

double OutputErrors::largest(double OutputError::*measure) const {
  const auto numbers = sorted(measure);
  return numbers.empty() ? compare::not_computed : numbers.back();
}

double OutputErrors::smallest(double OutputError::*measure) const {
  const auto numbers = sorted(measure);
  return numbers.empty() ? compare::not_computed : numbers.front();
}

double OutputErrors::median(double OutputError::*measure) const {
  const auto numbers = sorted(measure);
  return numbers.empty() ? compare::not_computed : numbers[numbers.size() / 2];
}

}  // namespace plumb::parity::studies::sweep
