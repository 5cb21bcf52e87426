#include "parity/expected/end_to_end.hpp"

#include <algorithm>
#include <cmath>

#include "parity/core/float_format.hpp"

namespace plumb::parity::expected {
namespace {

/// The limit of each element: λ √(v + the mean v of its line), what is flagged set apart.
compare::Allowed limits_of(const Spread& spread, const Precision& precision, ir::DType stored, double lambda) {
  const auto variance = spread.variance.as<double>();
  compare::Limits limits{ir::Tensor({ir::DType::f64, spread.truth.shape()}), ir::Tensor({ir::DType::f64, {0}})};
  const auto probable = limits.probable.as<double>();
  const auto length = static_cast<std::size_t>(spread.line.length), inner = static_cast<std::size_t>(spread.line.inner);
  std::vector<bool> apart(variance.size(), false);
  bool any_apart = false;
  for (std::size_t number = 0; length > 0 && number < variance.size() / length; ++number) {
    const std::size_t first = number / inner * length * inner + number % inner;
    double sum = 0, finite = 0;
    for (std::size_t i = 0; i < length; ++i)
      if (const double v = variance[first + i * inner]; std::isfinite(v)) sum += v, finite += 1;
    for (std::size_t i = 0; i < length; ++i) {
      const std::size_t at = first + i * inner;
      probable[at] = finite > 0 && std::isfinite(variance[at]) ? lambda * std::sqrt(variance[at] + sum / finite) : 0;
      if (!std::isfinite(variance[at])) apart[at] = any_apart = true;
    }
  }
  if (any_apart) limits.apart = std::move(apart);
  limits.fixed = 0;
  compare::Allowed allowed{.rule = compare::Allowed::Rule::within, .relative = precision.unit, .storage = 0.5};
  allowed.absolute = core::float_format(stored).ulp(0);
  allowed.lambda = lambda;
  allowed.limits = std::make_shared<const compare::Limits>(std::move(limits));
  return allowed;
}

/// Elements of integers and bools that a rounding on the way may change are not judged; the others are as they are.
EndToEnd hold_exactly(const Spread& spread, const ir::TensorView& got) {
  EndToEnd found{.allowed = {.rule = compare::Allowed::Rule::exact}};
  ir::Tensor held(got);
  const std::size_t bytes = ir::info(held.dtype()).bytes;
  const auto from = spread.truth.bytes();
  const auto to = held.bytes();
  for (std::size_t i = 0; i < spread.flagged.size(); ++i) {
    if (!spread.flagged[i]) continue;
    ++found.n_flagged;
    std::ranges::copy(from.subspan(i * bytes, bytes), to.subspan(i * bytes, bytes).begin());
  }
  found.comparison = compare::compare(spread.truth, held, found.allowed);
  return found;
}

}  // namespace

std::string EndToEnd::mistrust() const {
  if (allowed.rule == compare::Allowed::Rule::within) return telling.mistrust();
  return n_flagged == comparison.n && n_flagged > 0 ? "a rounding on the way may change every element" : "";
}

EndToEnd hold_to_runs(const Spread& spread, const ir::TensorView& got, const Precision& precision, double lambda) {
  if (ir::unit_roundoff(got.dtype()) == 0) return hold_exactly(spread, got);
  EndToEnd found{.allowed = limits_of(spread, precision, got.dtype(), lambda)};
  found.comparison = compare::compare(spread.truth, got, found.allowed);
  found.n_flagged = found.comparison.n_apart;
  found.telling = compare::telling_of(spread.truth, got.dtype(), found.allowed, spread.line, found.comparison);
  return found;
}

}  // namespace plumb::parity::expected
