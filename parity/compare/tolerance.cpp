// Limits that the class and the dtype of an output say everything of, and whether limits say anything at all.
#include "parity/compare/tolerance.hpp"

namespace plumb::parity::compare {

using ir::ErrorClass;

std::optional<Allowed> allowed_by_class(const core::JudgedOutput& judged, ir::DType dtype) {
  if (ir::unit_roundoff(dtype) == 0) return Allowed{.rule = Allowed::Rule::exact};
  switch (judged.error_class) {
    case ErrorClass::bits:
      return Allowed{.rule = Allowed::Rule::bits};
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
