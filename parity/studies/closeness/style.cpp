// Optimised: the rules of others, with the roundings of the type that each computes in, element by element.
#include "parity/studies/closeness/style.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "ir/attribute.hpp"

namespace plumb::parity::studies::closeness {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class T>
constexpr bool is_16_bit = std::is_same_v<T, ir::f16> || std::is_same_v<T, ir::bf16>;
template <class T>
constexpr bool is_whole = std::is_integral_v<T>;  // bool, too

/// The number rounded to T. A sum, product or quotient of two floats that was rounded to double before is the same.
template <class T>
double rounded(double x) {
  if constexpr (is_16_bit<T>)
    return static_cast<double>(T(static_cast<float>(x)));
  else
    return static_cast<double>(static_cast<T>(x));
}

/// The type that arithmetic on T is done in.
template <class T>
using Wide = std::conditional_t<is_16_bit<T>, float, T>;

/// |a - b| of whole numbers, which 64 bits of long double hold.
template <class T>
double whole_distance(T a, T b) {
  return static_cast<double>(std::abs(static_cast<long double>(a) - static_cast<long double>(b)));
}

/// A number is close where |a - b| is finite, and at most atol + |rtol b|.
Element close(bool is_equal, double error, double allowed) {
  return {.is_within = is_equal || (std::isfinite(error) && error <= allowed), .error = error, .allowed = allowed};
}

template <class T>
Element torch_complex(const Tolerances& by, std::complex<T> a, std::complex<T> b) {
  const auto error = static_cast<double>(std::abs(a - b));
  if (by.relative == 0 && by.absolute == 0) return {.is_within = a == b, .error = error, .allowed = 0};
  const T allowed = static_cast<T>(by.absolute) + std::abs(static_cast<T>(by.relative) * b);
  return close(a == b, error, static_cast<double>(allowed));
}

/// Tolerances are numbers of the type that arithmetic is done in, and its results are of the tensor's own type.
template <class T>
Element torch(const Tolerances& by, const T& a, const T& b) {
  if constexpr (ir::is_complex(ir::dtype_of<T>)) {
    return torch_complex(by, a, b);
  } else if constexpr (is_whole<T>) {
    // Whole numbers are subtracted as f32 where they are not held to be equal.
    if (by.relative == 0 && by.absolute == 0) return {.is_within = a == b, .error = whole_distance(a, b), .allowed = 0};
    Element one = torch<float>(by, static_cast<float>(a), static_cast<float>(b));
    one.is_within = a == b || one.is_within;
    return one;
  } else {
    const auto x = static_cast<double>(a), y = static_cast<double>(b);
    const double error = rounded<T>(std::abs(x - y));
    if (by.relative == 0 && by.absolute == 0) return {.is_within = x == y, .error = error, .allowed = 0};
    const double scaled = rounded<T>(std::abs(rounded<Wide<T>>(by.relative) * y));
    return close(x == y, error, rounded<T>(rounded<Wide<T>>(by.absolute) + scaled));
  }
}

/// Tolerances are numbers of the tensor's own type, and whole numbers are f64.
template <class T>
Element numpy(const Tolerances& by, const T& a, const T& b) {
  if constexpr (ir::is_complex(ir::dtype_of<T>)) {
    using Part = typename T::value_type;
    const auto is_nan = [](const T& x) { return std::isnan(x.real()) || std::isnan(x.imag()); };
    const Part scale = std::abs(b), error = std::abs(a - b);
    const Part allowed = static_cast<Part>(by.absolute) + static_cast<Part>(by.relative) * scale;
    const bool is_finite = std::isfinite(b.real()) && std::isfinite(b.imag());
    return {.is_within = (error <= allowed && is_finite) || a == b || (is_nan(a) && is_nan(b)),
            .error = static_cast<double>(error),
            .allowed = static_cast<double>(allowed)};
  } else if constexpr (is_whole<T>) {
    return numpy<double>(by, static_cast<double>(a), static_cast<double>(b));
  } else {
    const auto x = static_cast<double>(a), y = static_cast<double>(b);
    const double error = rounded<T>(std::abs(x - y));
    const double allowed = rounded<T>(rounded<T>(by.absolute) + rounded<T>(rounded<T>(by.relative) * std::abs(y)));
    return {.is_within = (error <= allowed && std::isfinite(y)) || x == y || (std::isnan(x) && std::isnan(y)),
            .error = error,
            .allowed = allowed};
  }
}

/// Either tolerance is enough. f16 is computed in f32; equal infinities differ, as NaNs do; the relative error of a
/// zero is that of 2.2e-16. Whole numbers are subtracted exactly, where theirs may wrap around.
template <class T>
Element polygraphy(const Tolerances& by, const T& a, const T& b) {
  using Up = std::conditional_t<std::is_same_v<T, ir::f16>, float, std::conditional_t<is_whole<T>, double, T>>;
  constexpr double of_zero = 2.220446049250313e-16;
  double error = 0, scale = 0;
  if constexpr (is_whole<T>) {
    error = whole_distance(a, b);
    scale = std::abs(static_cast<double>(b));
  } else {
    error = rounded<Up>(std::abs(static_cast<double>(a) - static_cast<double>(b)));
    scale = std::abs(static_cast<double>(b));
    if (scale == 0) scale = rounded<Up>(of_zero);
  }
  const double relative = rounded<Up>(error / scale), rtol = rounded<Up>(by.relative), atol = rounded<Up>(by.absolute);
  const bool is_beyond = !(error <= atol) && !(relative <= rtol);
  return {.is_within = !is_beyond, .error = error, .allowed = std::max(atol, rtol * scale)};
}

/// Either tolerance is enough; NaN meets NaN; complex numbers are held part by part, and whole ones to be equal.
template <class T>
Element xla(const Tolerances& by, const T& a, const T& b) {
  if constexpr (ir::is_complex(ir::dtype_of<T>)) {
    using Part = typename T::value_type;
    const Element real = xla<Part>(by, a.real(), b.real()), imaginary = xla<Part>(by, a.imag(), b.imag());
    const bool is_real_worse = real.is_within == imaginary.is_within ? real.error >= imaginary.error : !real.is_within;
    return is_real_worse ? real : imaginary;
  } else if constexpr (is_whole<T>) {
    return {.is_within = a == b, .error = whole_distance(a, b), .allowed = 0};
  } else {
    const auto x = static_cast<double>(a), y = static_cast<double>(b);
    const double allowed = std::max(by.absolute, by.relative * std::abs(y));
    if (std::isnan(x) && std::isnan(y)) return {.allowed = by.absolute};
    if (std::isnan(x) || std::isnan(y)) return {.is_within = false, .error = x - y, .allowed = by.absolute};
    if (x == y) return {.allowed = allowed};
    if (std::isinf(x) || std::isinf(y)) return {.is_within = false, .error = infinity, .allowed = by.absolute};
    const double error = std::abs(rounded<T>(x - y)), relative = y != 0 ? error / std::abs(y) : infinity;
    return {.is_within = !(error > by.absolute) || !(relative > by.relative), .error = error, .allowed = allowed};
  }
}

/// The largest f32 counts as infinite.
bool is_infinite_or_largest(float x) { return std::isinf(x) || std::abs(x) == std::numeric_limits<float>::max(); }

Element ggml(float a, float b) {
  const double error = std::abs(static_cast<double>(a - b)), unknown = std::numeric_limits<double>::quiet_NaN();
  bool is_within = !std::isnan(a) && !std::isnan(b);
  const bool a_is = is_infinite_or_largest(a), b_is = is_infinite_or_largest(b);
  if (is_within && (a_is || b_is)) is_within = a_is && b_is && std::signbit(a) == std::signbit(b);
  return {.is_within = is_within, .error = error, .allowed = unknown};
}

Element ncnn(float epsilon, float a, float b) {
  if (a == b) return {.allowed = static_cast<double>(epsilon)};
  const float error = std::abs(a - b), scale = std::max(std::abs(a), std::abs(b));
  return {.is_within = error <= epsilon || error < epsilon * scale,
          .error = static_cast<double>(error),
          .allowed = static_cast<double>(std::max(epsilon, epsilon * scale))};
}

/// Those of torch.testing, by dtype; 0 of what is exact there.
Tolerances usual_of_torch(ir::DType dtype) {
  switch (dtype) {
    case ir::DType::f16:
      return {.relative = 1e-3, .absolute = 1e-5};
    case ir::DType::bf16:
      return {.relative = 1.6e-2, .absolute = 1e-5};
    case ir::DType::f32:
    case ir::DType::c64:
      return {.relative = 1.3e-6, .absolute = 1e-5};
    case ir::DType::f64:
    case ir::DType::c128:
      return {.relative = 1e-7, .absolute = 1e-7};
    default:
      return {};
  }
}

Tolerances usual_of(Style style, ir::DType dtype) {
  switch (style) {
    case Style::torch:
      return usual_of_torch(dtype);
    case Style::numpy:
      return {.relative = 1e-7};
    case Style::polygraphy:
      return {.relative = 1e-5, .absolute = 1e-5};
    case Style::xla:  // those of run_hlo_module: the function itself has none
      return {.relative = 1e-3, .absolute = 1e-3};
    case Style::ggml:
      return {.limit = 1e-7};
    case Style::ncnn:
      return {.limit = 1e-3};
  }
  return {};
}

bool has_one_number(Style style) { return style == Style::ggml || style == Style::ncnn; }

}  // namespace

std::string_view source_of(Style style) {
  constexpr std::array<std::string_view, 6> names = {
      "torch.testing.assert_close",     "numpy.testing.assert_allclose", "Polygraphy's CompareFunc.simple",
      "XLA's literal_comparison::Near", "ggml's test-backend-ops",       "NearlyEqual of ncnn's tests"};
  return names[static_cast<std::size_t>(style)];
}

void require_sense(const Rule& rule) {
  const std::string_view name = ir::enum_name(rule.style);
  ir::require(!has_one_number(rule.style) || (!rule.relative && !rule.absolute), "--style ", name,
              " has no --rtol or --atol: its one number is --limit");
  ir::require(has_one_number(rule.style) || !rule.limit, "--limit is the number of --style ggml and ncnn; ", name,
              " has --rtol and --atol");
  ir::require(rule.style != Style::torch || rule.relative.has_value() == rule.absolute.has_value(), "--style torch (",
              source_of(rule.style), ") takes both --rtol and --atol, or neither");
}

Tolerances tolerances_of(const Rule& rule, ir::DType dtype) {
  const Tolerances usual = usual_of(rule.style, dtype);
  return {.relative = rule.relative.value_or(usual.relative),
          .absolute = rule.absolute.value_or(usual.absolute),
          .limit = rule.limit.value_or(usual.limit)};
}

std::string to_text(const Rule& rule, ir::DType dtype) {
  const Tolerances by = tolerances_of(rule, dtype);
  if (rule.style == Style::ggml) return fmt::format("NMSE {:g}", by.limit);
  if (rule.style == Style::ncnn) return fmt::format("epsilon {:g}", by.limit);
  return fmt::format("rtol {:g}, atol {:g}", by.relative, by.absolute);
}

bool knows(Style style, ir::DType dtype) {
  const bool is_complex = ir::is_complex(dtype);
  if (style == Style::polygraphy) return !is_complex;
  return !has_one_number(style) || !(is_complex || dtype == ir::DType::f64);
}

template <class T>
Element held(Style style, const Tolerances& tolerances, const T& a, const T& b) {
  if (style == Style::torch) return torch(tolerances, a, b);
  if (style == Style::numpy) return numpy(tolerances, a, b);
  if (style == Style::xla) return xla(tolerances, a, b);
  if constexpr (ir::is_complex(ir::dtype_of<T>)) {
    ir::fail(ir::enum_name(style), " says nothing of complex numbers");
  } else {
    if (style == Style::polygraphy) return polygraphy(tolerances, a, b);
    const auto x = static_cast<float>(a), y = static_cast<float>(b);
    return style == Style::ggml ? ggml(x, y) : ncnn(static_cast<float>(tolerances.limit), x, y);
  }
}

template Element held(Style, const Tolerances&, const bool&, const bool&);
template Element held(Style, const Tolerances&, const std::uint8_t&, const std::uint8_t&);
template Element held(Style, const Tolerances&, const std::int8_t&, const std::int8_t&);
template Element held(Style, const Tolerances&, const std::uint16_t&, const std::uint16_t&);
template Element held(Style, const Tolerances&, const std::int16_t&, const std::int16_t&);
template Element held(Style, const Tolerances&, const std::int32_t&, const std::int32_t&);
template Element held(Style, const Tolerances&, const std::uint32_t&, const std::uint32_t&);
template Element held(Style, const Tolerances&, const std::int64_t&, const std::int64_t&);
template Element held(Style, const Tolerances&, const ir::f16&, const ir::f16&);
template Element held(Style, const Tolerances&, const ir::bf16&, const ir::bf16&);
template Element held(Style, const Tolerances&, const float&, const float&);
template Element held(Style, const Tolerances&, const double&, const double&);
template Element held(Style, const Tolerances&, const std::complex<float>&, const std::complex<float>&);
template Element held(Style, const Tolerances&, const std::complex<double>&, const std::complex<double>&);

}  // namespace plumb::parity::studies::closeness
