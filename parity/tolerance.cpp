#include "parity/tolerance.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "parity/float_format.hpp"

namespace plumb::parity {
namespace {

using ir::ErrorClass;

// The constants of every tolerance.
constexpr double relative_units = 8;        // of u_T |y|, D.6
constexpr double native_factor = 4;         // of the honest evaluation's largest error, D.6
constexpr double function_ulps = 8;         // of elementwise functions: the largest k of ops.md 3
constexpr std::uint64_t few_elements = 64;  // below which the largest of so many errors says little
constexpr double most_zeros = 0.30;         // D.8
constexpr double loosest_of_scale = 1e-2;   // D.8

bool is_exact(ErrorClass error_class) { return error_class == ErrorClass::bits || error_class == ErrorClass::exact; }

bool has_wider_truth(ir::DType dtype) { return dtype != ir::DType::f64 && dtype != ir::DType::c128; }

bool is_real_arithmetic(ir::DType dtype) { return ir::unit_roundoff(dtype) > 0; }

/// bits from i64 to a float is one rounding of which the truth, in f64, has made another before.
bool rounds_integers(const Judged& judged) {
  return std::ranges::any_of(judged.inputs, [](const ir::TensorView& x) { return x.dtype() == ir::DType::i64; });
}

double generic_absolute(const Judged& judged, ir::DType dtype, const Comparison& native) {
  const double error = native.max_abs.value > 0 ? native.max_abs.value : 0;
  if (error > 0 && has_wider_truth(dtype) && native.n >= few_elements) return native_factor * error;
  const auto terms = static_cast<double>(std::max<std::int64_t>(judged.contraction, 1));
  const double sums = ir::unit_roundoff(compute_dtype(dtype)) * std::sqrt(terms);
  const double scale = native.expected_absmax > 0 ? native.expected_absmax : 0;
  return native_factor * std::max(error, std::max(sums, ir::unit_roundoff(dtype)) * scale);
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

Judged judged(const ir::Op& op, std::vector<ir::TensorView> inputs, ir::Types out) {
  ir::TensorTypes in;
  for (const ir::TensorView& input : inputs) in.push_back(input.type());
  return {op.error_class(), op.schema().cost(op, in, out).contraction, std::move(inputs)};
}

ErrorClass chained(std::span<const ErrorClass> classes) {
  if (classes.size() == 1) return classes.front();
  ErrorClass all = ErrorClass::bits;
  for (const ErrorClass one : classes) {
    if (!is_exact(one)) return ErrorClass::comp;
    if (one == ErrorClass::exact) all = one;
  }
  return all;
}

bool needs_native(const Judged& judged, ir::DType dtype) {
  const bool is_function = judged.error_class == ErrorClass::ulp || judged.error_class == ErrorClass::rounded;
  return is_real_arithmetic(dtype) && !is_exact(judged.error_class) && !is_function;
}

Comparison measure(const ir::TensorView& truth, const ir::TensorView& native) {
  return compare(truth, native, {.rule = Allowed::Rule::within, .absolute = std::numeric_limits<double>::infinity()});
}

Allowed allowed_for(const Judged& judged, ir::DType dtype, const Comparison& native) {
  if (!is_real_arithmetic(dtype)) return {.rule = Allowed::Rule::exact};
  Allowed allowed;
  const bool wide_storage = dtype == compute_dtype(dtype) || ir::is_complex(dtype);
  if (judged.flushes_subnormals && judged.error_class != ErrorClass::bits)
    allowed.subnormal = float_format(compute_dtype(dtype)).smallest_normal();
  switch (judged.error_class) {
    case ErrorClass::bits:
      allowed.rule = rounds_integers(judged) ? Allowed::Rule::rounded : Allowed::Rule::bits;
      return allowed;
    case ErrorClass::exact:
      allowed.rule = Allowed::Rule::exact;
      return allowed;
    case ErrorClass::rounded:
      allowed.rule = Allowed::Rule::rounded;
      return allowed;
    default:
      break;
  }
  allowed.rule = Allowed::Rule::within;
  allowed.storage = wide_storage ? 0 : 0.5;
  if (judged.error_class == ErrorClass::ulp) {
    allowed.ulps = function_ulps;
  } else {
    allowed.relative = relative_units * ir::unit_roundoff(dtype);
    allowed.absolute = generic_absolute(judged, dtype, native);
  }
  return allowed;
}

bool is_too_loose(const Allowed& allowed, const Comparison& comparison, ir::DType dtype) {
  const double storage = native_factor * ir::unit_roundoff(dtype) * comparison.expected_absmax;
  return allowed.absolute - storage > loosest_of_scale * comparison.expected_rms;
}

std::string mistrust(const Judged& judged, const Allowed& allowed, const Comparison& comparison, ir::DType dtype) {
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
  if (is_too_loose(allowed, c, dtype))
    return fmt::format("the error allowed, {:.2g}, is more than {:.0e} of the truth's rms, {:.2g}", allowed.absolute,
                       loosest_of_scale, c.expected_rms);
  return "";
}

}  // namespace plumb::parity
