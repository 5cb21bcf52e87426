#include "parity/tolerance.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace plumb::parity {
namespace {

using ir::ErrorClass;

constexpr double most_zeros = 0.30;        // D.8
constexpr double loosest_of_scale = 1e-2;  // D.8

bool is_exact(ErrorClass error_class) { return error_class == ErrorClass::bits || error_class == ErrorClass::exact; }

/// bits from i64 to a float is one rounding of which the truth, in f64, has made another before.
bool rounds_integers(const Judged& judged) {
  return std::ranges::any_of(judged.inputs, [](const ir::TensorView& x) { return x.dtype() == ir::DType::i64; });
}

/// What an input says about how telling its output can be.
struct Census {
  std::int64_t elements = 0, zeros = 0;
  bool constant = true;
};

Census census(const ir::TensorView& x) {
  Census found{.elements = x.elements()};
  const std::size_t width = ir::info(x.dtype()).bytes;
  const auto bytes = x.bytes();
  const auto first = bytes.first(std::min(width, bytes.size()));
  ir::visit_any(x.dtype(), [&]<class T>(T) {
    for (const T value : x.as<T>()) {
      if constexpr (std::is_same_v<T, ir::f16> || std::is_same_v<T, ir::bf16>)
        found.zeros += (value.bits & 0x7FFF) == 0;
      else
        found.zeros += value == T{};
    }
  });
  for (std::size_t at = width; at < bytes.size() && found.constant; at += width)
    found.constant = std::ranges::equal(bytes.subspan(at, width), first);
  return found;
}

}  // namespace

ErrorClass chained(std::span<const ErrorClass> classes) {
  if (classes.size() == 1) return classes.front();
  ErrorClass all = ErrorClass::bits;
  for (const ErrorClass one : classes) {
    if (!is_exact(one)) return ErrorClass::comp;
    if (one == ErrorClass::exact) all = one;
  }
  return all;
}

void hold_exactly(Judged& judged) {
  if (judged.error_class != ErrorClass::bits) judged.error_class = ErrorClass::exact;
}

Allowed no_limit() { return {.rule = Allowed::Rule::within, .absolute = std::numeric_limits<double>::infinity()}; }

Comparison measure(const ir::TensorView& truth, const ir::TensorView& native) {
  return compare(truth, native, no_limit());
}

std::optional<Allowed> allowed_by_class(const Judged& judged, ir::DType dtype) {
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

std::string mistrust(const Judged& judged, const Allowed& allowed, const Comparison& comparison) {
  const Comparison& c = comparison;
  if (c.n < 2) return "";
  bool zeros_came_in = false, all_constant = true, several = false;
  for (const ir::TensorView& input : judged.inputs) {
    const Census found = census(input);
    if (found.elements == 0) return "";  // an empty sum, say: zeros by definition
    zeros_came_in |= static_cast<double>(found.zeros) > most_zeros * static_cast<double>(found.elements);
    if (found.elements < 2) continue;
    several = true;
    all_constant &= found.constant;
  }
  const double zeros = static_cast<double>(c.n_zero_expected) / static_cast<double>(c.n);
  if (c.n_zero_expected == c.n && !judged.inputs.empty()) return "the truth is all zero";
  if (zeros > most_zeros && zeros_came_in && !is_exact(judged.error_class) && !judged.ends_exactly)
    return fmt::format("{:.0f} % of the truth is zero, as is an input", 100 * zeros);
  if (std::isnan(c.max_abs.value)) return "no element is finite";
  if (c.constant && several && all_constant) return "the truth is constant, as is every input";
  if (is_too_loose(allowed, c))
    return fmt::format("the error allowed is more than {:.0e} of the truth's rms, {:.2g}", loosest_of_scale,
                       c.expected_rms);
  return "";
}

}  // namespace plumb::parity
