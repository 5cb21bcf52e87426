#include "parity/compare/tolerance.hpp"

#include <algorithm>

namespace plumb::parity::compare {
namespace {

using ir::ErrorClass;

/// bits from i64 to a float is one rounding of which the truth, in f64, has made another before.
bool rounds_integers(const core::JudgedOutput& judged) {
  return std::ranges::any_of(judged.inputs, [](const ir::TensorView& x) { return x.dtype() == ir::DType::i64; });
}

}  // namespace

std::optional<Allowed> allowed_by_class(const core::JudgedOutput& judged, ir::DType dtype) {
  if (ir::unit_roundoff(dtype) == 0) return Allowed{.rule = Allowed::Rule::exact};
  switch (judged.error_class) {
    case ErrorClass::bits:
      return Allowed{.rule = rounds_integers(judged) ? Allowed::Rule::rounded : Allowed::Rule::bits};
    case ErrorClass::exact:
      return Allowed{.rule = Allowed::Rule::exact};
    case ErrorClass::rounded:
      return Allowed{.rule = Allowed::Rule::rounded};
    default:
      return std::nullopt;
  }
}

bool is_too_loose(const Allowed& allowed, const Comparison& comparison) {
  if (allowed.limits == nullptr || !(comparison.expected_rms > 0)) return false;
  double squares = 0;
  for (const double limit : allowed.limits->probable.as<double>())
    if (std::isfinite(limit)) squares += limit * limit;
  return allowed.of_limits * std::sqrt(squares / static_cast<double>(comparison.n)) >
         loosest_of_scale * comparison.expected_rms;
}

}  // namespace plumb::parity::compare
