#include "parity/checks/expected/end_to_end.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ir/passes/widen.hpp"
#include "parity/core/float_format.hpp"

namespace plumb::parity::checks::expected {
namespace {

/// The limit of each element by sign runs, and half a last place of what stores it.
compare::Allowed allowed_by(const bounds::runs::Spread& spread, const bounds::runs::Precision& precision,
                            ir::DType stored, double lambda) {
  compare::Allowed allowed{.rule = compare::Allowed::Rule::within, .relative = precision.unit, .storage = 0.5};
  allowed.absolute = core::float_format(stored).ulp(0);
  allowed.lambda = lambda;
  allowed.limits = std::make_shared<const compare::Limits>(bounds::runs::limits_of(spread, lambda));
  return allowed;
}

/// A result in which open elements are the truth where they are one of the values that these may have. Of floats,
/// `tolerance` is what element i may be off besides.
template <class Tolerance>
ir::Tensor settled(const bounds::runs::Spread& spread, const ir::TensorView& got, const Tolerance& tolerance) {
  ir::Tensor held(got);
  const bounds::runs::Admissible& admissible = *spread.admissible;
  const ir::Tensor truth = ir::convert(spread.truth, got.dtype());
  const std::size_t bytes = ir::info(held.dtype()).bytes;
  for (std::size_t i = 0; i < admissible.open.size(); ++i)
    if (admissible.open[i] && bounds::runs::admits(admissible, got, i, tolerance(i)))
      std::ranges::copy(truth.bytes().subspan(i * bytes, bytes), held.bytes().subspan(i * bytes, bytes).begin());
  return held;
}

std::uint64_t open_elements(const bounds::runs::Spread& spread) {
  return spread.admissible ? static_cast<std::uint64_t>(std::ranges::count(spread.admissible->open, true)) : 0;
}

/// The range of the worst element of a comparison, in words, where it hangs on a choice; else "".
std::string range_of_worst(const bounds::runs::Spread& spread, const compare::Comparison& found) {
  if (found.worst.empty() || !spread.is_open(found.worst.front().index)) return "";
  const std::size_t i = found.worst.front().index;
  const auto [low, high] = spread.admissible->ends();
  const auto text = [i](const ir::Tensor& x) {
    std::string said;
    if (x.dtype() == ir::DType::boolean) return std::string(x.as<bool>()[i] ? "true" : "false");
    ir::visit_number(x.dtype(), [&]<class T>(T) {
      if constexpr (std::is_integral_v<T>)
        said = std::to_string(x.as<T>()[i]);
      else
        said = fmt::format("{:.9g}", static_cast<double>(x.as<T>()[i]));
    });
    return said;
  };
  return fmt::format("a rounding on the way may make it {} {} {}", text(low), spread.admissible->is_range ? "to" : "or",
                     text(high));
}

EndToEnd hold_exactly(const bounds::runs::Spread& spread, const ir::TensorView& got,
                      const std::optional<compare::MapExtents>& map) {
  EndToEnd found{.allowed = {.rule = compare::Allowed::Rule::exact}};
  if (!spread.admissible) {
    found.comparison = compare::compare(spread.truth, got, found.allowed, map);
    return found;
  }
  const ir::Tensor held = settled(spread, got, [](std::size_t) { return 0.0; });
  found.comparison = compare::compare(spread.truth, held, found.allowed, map);
  found.n_flagged = open_elements(spread);
  found.says_nothing = spread.admissible->covers_all && found.n_flagged == found.comparison.n;
  found.may_be = range_of_worst(spread, found.comparison);
  return found;
}

}  // namespace

std::string EndToEnd::mistrust() const {
  const bool is_silent = telling.informative + telling.loose == 0;
  if (allowed.rule == compare::Allowed::Rule::within && is_silent && comparison.n_apart > 0)
    return "roundings on the way leave every element more than one value";
  if (allowed.rule == compare::Allowed::Rule::within) return telling.mistrust();
  return says_nothing ? "a rounding on the way may change every element" : "";
}

EndToEnd hold_to_runs(const bounds::runs::Spread& spread, const ir::TensorView& got,
                      const bounds::runs::Precision& precision, double lambda,
                      const std::optional<compare::MapExtents>& map) {
  if (ir::unit_roundoff(got.dtype()) == 0) return hold_exactly(spread, got, map);
  EndToEnd found{.allowed = allowed_by(spread, precision, got.dtype(), lambda)};
  ir::Tensor held;
  if (spread.admissible && spread.admissible->any_open()) {
    const auto limits = found.allowed.limits->probable.as<double>();
    const core::FloatFormat stored = core::float_format(got.dtype());
    const ir::Tensor given = ir::convert(got, ir::DType::f64);
    const double unit = precision.unit * (1 + spread.admissible->roundings);
    held = settled(spread, got, [&](std::size_t i) {
      const double x = given.as<double>()[i];
      return std::isfinite(x) ? limits[i] + unit * std::abs(x) + stored.ulp(x) / 2 : 0;
    });
  }
  const bool is_settled = held.elements() > 0;
  found.comparison = compare::compare(spread.truth, is_settled ? ir::TensorView(held) : got, found.allowed, map);
  found.n_flagged = found.comparison.n_apart + open_elements(spread);
  found.telling = compare::telling_of(spread.truth, got.dtype(), found.allowed, spread.line, found.comparison);
  found.may_be = range_of_worst(spread, found.comparison);
  return found;
}

}  // namespace plumb::parity::checks::expected
