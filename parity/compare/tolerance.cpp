#include "parity/compare/tolerance.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "parity/compare/element_counts.hpp"

namespace plumb::parity::compare {
namespace {

using ir::ErrorClass;

constexpr double most_zeros = 0.30;        // ops.md D.8
constexpr double loosest_of_scale = 1e-2;  // ops.md D.8

bool is_exact(ErrorClass error_class) { return error_class == ErrorClass::bits || error_class == ErrorClass::exact; }

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

Allowed with_rounded_decimals(Allowed allowed, ir::DType dtype) {
  if (allowed.rule == Allowed::Rule::rounded) allowed = {.rule = Allowed::Rule::within};
  allowed.relative += 8 * ir::unit_roundoff(dtype);
  return allowed;
}

bool is_too_loose(const Allowed& allowed, const Comparison& comparison) {
  if (allowed.limits == nullptr || !(comparison.expected_rms > 0)) return false;
  double squares = 0;
  for (const double limit : allowed.limits->probable.as<double>())
    if (std::isfinite(limit)) squares += limit * limit;
  return allowed.of_limits * std::sqrt(squares / static_cast<double>(comparison.n)) >
         loosest_of_scale * comparison.expected_rms;
}

std::string mistrust(const core::JudgedOutput& judged, const Allowed& allowed, const Comparison& comparison) {
  const Comparison& c = comparison;
  if (c.n < 2) return "";
  const auto& inputs = judged.inputs;
  const auto elements = [](const ir::TensorView& input) { return input.elements(); };
  if (std::ranges::count(inputs, 0, elements) > 0) return "";  // an empty sum, say: zeros by definition
  if (c.n_zero_expected == c.n && !inputs.empty()) return "the truth is all zero";
  const double zeros = static_cast<double>(c.n_zero_expected) / static_cast<double>(c.n);
  const bool says_zeros = zeros > most_zeros && !is_exact(judged.error_class) && !judged.ends_exactly;
  if (says_zeros && std::ranges::any_of(inputs, [](const auto& input) { return share_of_zeros(input) > most_zeros; }))
    return fmt::format("{:.0f} % of the truth is zero, as is an input", 100 * zeros);
  if (std::isnan(c.max_abs.value)) return "no element is finite";
  const bool several = std::ranges::any_of(inputs, [](const auto& input) { return input.elements() > 1; });
  if (c.constant && several && std::ranges::all_of(inputs, is_constant))
    return "the truth is constant, as is every input";
  if (is_too_loose(allowed, c))
    return fmt::format("the error allowed is more than {:.0e} of the truth's rms, {:.2g}", loosest_of_scale,
                       c.expected_rms);
  return "";
}

}  // namespace plumb::parity::compare
