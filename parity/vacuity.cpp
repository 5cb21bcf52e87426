#include "parity/vacuity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parity/float_format.hpp"

namespace plumb::parity {
namespace {

using faults::Numbers;
using faults::Site;

double share(const Numbers& numbers, auto holds) {
  if (numbers.empty()) return 0;
  return static_cast<double>(std::ranges::count_if(numbers, holds)) / static_cast<double>(numbers.size());
}

bool is_zero(double x) { return x == 0; }

double zeros_that_came_in(const Site& site) {
  double most = 0;
  for (const faults::Operand& operand : site.operands)
    if (!ir::is_complex(operand.now.dtype())) most = std::max(most, share(faults::numbers_of(operand.now), is_zero));
  return most;
}

/// Whether the op's results lie in [-1, 1], and touch the ends where it says no more of its operand.
bool saturates_at_one(const Site& site) {
  if (site.is("softmax")) return true;
  if (!site.is("unary")) return false;
  const auto function = std::get<std::string>(site.op()->attributes().at("function"));
  return function == "tanh" || function == "sigmoid" || function == "erf" || function == "softsign";
}

double saturated(const Site& site) {
  if (!ir::is_float(site.type.dtype)) return 0;
  const double overflow = float_format(site.type.dtype).overflow();
  const double next_to_one = saturates_at_one(site) ? 1 - ir::unit_roundoff(site.type.dtype) / 2 : overflow;
  return share(site.truth, [=](double y) {
    const double size = std::abs(y);
    return (size >= next_to_one && size <= 1) || (std::isfinite(y) && size >= overflow);
  });
}

/// Of rows of several elements.
double constant_rows(const Site& site) {
  const std::size_t width = site.columns();
  if (width < 2) return 0;
  std::size_t constant = 0;
  for (std::size_t row = 0; row < site.rows(); ++row) {
    const auto first = site.truth.begin() + static_cast<std::ptrdiff_t>(row * width);
    constant += std::all_of(first, first + static_cast<std::ptrdiff_t>(width), [&](double y) { return y == *first; });
  }
  return site.rows() == 0 ? 0 : static_cast<double>(constant) / static_cast<double>(site.rows());
}

double exact_sums(const Site& site) {
  if (site.segment.judged.contraction < 2 || !ir::is_float(site.type.dtype)) return 0;
  std::size_t exact = 0;
  for (std::size_t i = 0; i < site.elements(); ++i) exact += site.got[i] == site.truth[i] && site.truth[i] != 0;
  return site.elements() == 0 ? 0 : static_cast<double>(exact) / static_cast<double>(site.elements());
}

}  // namespace

double Vacuity::score() const { return std::max({zeros, saturated, not_finite, constant, exact}); }

std::string Vacuity::text() const {
  std::string text;
  const auto add = [&](const char* name, double value) {
    if (value > 0) text += fmt::format("{}{} {:.2f}", text.empty() ? "" : ", ", name, value);
  };
  add("zeros", zeros), add("saturated", saturated), add("not finite", not_finite);
  add("constant rows", constant), add("exact sums", exact);
  return text;
}

Vacuity vacuity_of(const Site& site) {
  Vacuity vacuity;
  vacuity.not_finite = share(site.truth, [](double y) { return !std::isfinite(y); });
  const ir::ErrorClass error_class = site.segment.judged.error_class;
  const bool is_moved = error_class == ir::ErrorClass::bits || error_class == ir::ErrorClass::exact;
  const double rows = constant_rows(site);
  if (!is_moved || rows == 1) vacuity.constant = rows;
  if (is_moved) return vacuity;
  vacuity.zeros = std::min(share(site.truth, is_zero), zeros_that_came_in(site));
  vacuity.saturated = saturated(site);
  vacuity.exact = exact_sums(site);
  return vacuity;
}

}  // namespace plumb::parity
