#include "parity/expected/end_to_end.hpp"

#include <algorithm>

#include "parity/core/float_format.hpp"

namespace plumb::parity::expected {
namespace {

/// The limit of each element by sign runs, and half a last place of what stores it.
compare::Allowed allowed_by(const Spread& spread, const Precision& precision, ir::DType stored, double lambda) {
  compare::Allowed allowed{.rule = compare::Allowed::Rule::within, .relative = precision.unit, .storage = 0.5};
  allowed.absolute = core::float_format(stored).ulp(0);
  allowed.lambda = lambda;
  allowed.limits = std::make_shared<const compare::Limits>(limits_of(spread, lambda));
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
  EndToEnd found{.allowed = allowed_by(spread, precision, got.dtype(), lambda)};
  found.comparison = compare::compare(spread.truth, got, found.allowed);
  found.n_flagged = found.comparison.n_apart;
  found.telling = compare::telling_of(spread.truth, got.dtype(), found.allowed, spread.line, found.comparison);
  return found;
}

}  // namespace plumb::parity::expected
