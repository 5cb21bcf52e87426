// Limits of two results, and the comparison of one with the other by them.
#include "parity/checks/relations/limited.hpp"

#include <algorithm>
#include <cmath>
#include <complex>

#include "ir/passes/widen.hpp"
#include "parity/compare/tolerance.hpp"
#include "parity/sums/double_double.hpp"

namespace plumb::parity::checks::relations {
namespace {

/// Sizes, of complex numbers by what parts are finite (verdict.md V36).
ir::Tensor moduli(const ir::Tensor& x) {
  ir::Tensor y({ir::DType::f64, x.shape()});
  const auto to = y.as<double>();
  if (x.dtype() == ir::DType::c128) {
    const auto size = [](double part) { return std::isfinite(part) ? part : 0; };
    const auto z = x.as<std::complex<double>>();
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = std::hypot(size(z[i].real()), size(z[i].imag()));
  } else {
    const auto values = x.as<double>();
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = std::abs(values[i]);
  }
  return y;
}

/// |a - b| by element.
ir::Tensor distances(const ir::Tensor& a, const ir::Tensor& b) {
  ir::Tensor difference = a;
  const auto take_off = [&]<class T>(T) {
    const std::span<T> to = difference.as<T>();
    const std::span<const T> from = b.as<T>();
    for (std::size_t i = 0; i < to.size(); ++i) to[i] -= from[i];
  };
  if (a.dtype() == ir::DType::c128)
    take_off(std::complex<double>());
  else
    take_off(double{});
  return moduli(difference);
}

ir::Tensor limits_of(const compare::Allowed& allowed, const ir::Tensor& truth, const ir::Tensor& got) {
  ir::Tensor limits = moduli(truth);
  const ir::Tensor errors = distances(truth, ir::passes::widen(got));
  const auto values = limits.as<double>();
  const bool is_moved = allowed.rule == compare::Allowed::Rule::bits;
  // A truth of f64 is rounded as a result of f64 is, so that an error of 0 says nothing of what both have lost. Limits
  // by models allow for it twice, those of results that are rounded once do not.
  const bool is_exact = got.dtype() != ir::DType::f64 || allowed.rule != compare::Allowed::Rule::rounded;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (allowed.rule == compare::Allowed::Rule::within)
      values[i] = allowed.at(values[i], got.dtype(), i);
    else
      values[i] = is_moved ? 0 : 0.5 * compare::ulp_of(values[i], got.dtype()) + allowed.subnormal;
    if (is_exact && errors.as<double>()[i] <= values[i] / 2) values[i] /= 2;
  }
  return limits;
}

ir::Tensor apart_of(const compare::Allowed& allowed, const ir::Shape& shape) {
  ir::Tensor apart({ir::DType::f64, shape});
  if (!allowed.limits || allowed.limits->apart.empty()) return apart;
  const auto marks = apart.as<double>();
  for (std::size_t i = 0; i < marks.size(); ++i) marks[i] = allowed.limits->apart[i] ? 1 : 0;
  return apart;
}

}  // namespace

ir::Tensor sum(const ir::Tensor& a, const ir::Tensor& b) {
  ir::Tensor y = a;
  const std::span<double> to = y.as<double>();
  const std::span<const double> from = b.as<double>();
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
  return y;
}

ir::Tensor lost_in_sum(const ir::Tensor& a, const ir::Tensor& b) {
  ir::Tensor lost = a;
  const std::span<double> to = lost.as<double>();
  const std::span<const double> from = b.as<double>();
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = std::abs(sums::exact_sum(to[i], from[i]).low);
  return lost;
}

Limited both(const Limited& a, const Limited& b) { return {sum(a.limits, b.limits), sum(a.apart, b.apart)}; }

Limited limited_by(const compare::Allowed& allowed, const ir::Tensor& truth, const ir::Tensor& got) {
  return {limits_of(allowed, truth, got), apart_of(allowed, got.shape())};
}

compare::Comparison hold_within(const ir::Tensor& expected, const ir::Tensor& got, const Limited& limited,
                                cases::RelationResult& result) {
  compare::Limits limits{limited.limits, limited.limits};
  if (std::ranges::any_of(limited.apart.as<double>(), [](double mark) { return mark != 0; }))
    for (const double mark : limited.apart.as<double>()) limits.apart.push_back(mark != 0);
  compare::Allowed allowed{.rule = compare::Allowed::Rule::within,
                           .limits = std::make_shared<const compare::Limits>(std::move(limits))};
  compare::Comparison found = compare::compare(ir::passes::widen(expected), got, allowed);
  result.bitwise = false;
  result.n = found.n;
  result.n_bad = found.n_bad;
  result.ratio = found.ratio();
  result.n_differ = compare::compare(expected, got, {.rule = compare::Allowed::Rule::exact}).n_bad;
  if (!found.agrees()) {
    result.verdict = core::Verdict::failed;
    result.why = compare::summary(found);
  } else if (compare::is_too_loose(allowed, found)) {
    result.verdict = core::Verdict::mistrusted;
    result.why = "the limits are too wide to prove anything";
  }
  return found;
}

}  // namespace plumb::parity::checks::relations
