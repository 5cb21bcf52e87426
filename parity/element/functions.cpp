// The functions of real numbers, written from the table of ops.md 3.
#include "parity/element/functions.hpp"

#include <limits>
#include <numbers>
#include <optional>

namespace plumb::parity::element {
namespace {

using F = ir::ops::UnaryFunction;
using L = long double;

constexpr L pi = std::numbers::pi_v<L>;

/// 1 / (1 + e^-x), without overflow.
L sigmoid_of(L x) { return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x)); }
L silu_of(L x) { return x * sigmoid_of(x); }
L gelu_of(L x) { return x / 2 * std::erfc(-x / std::sqrt(L{2})); }
L gelu_tanh_of(L x) { return x * sigmoid_of(2 * std::sqrt(2 / pi) * (x + L{0.044715} * x * x * x)); }
L softplus_of(L x) { return std::fmax(x, L{0}) + std::log1p(std::exp(-std::fabs(x))); }
L mish_of(L x) { return x * std::tanh(softplus_of(x)); }
L hard_swish_of(L x) { return x * std::fmin(std::fmax((x + 3) / 6, L{0}), L{1}); }  // nothing cancels near -3

/// Functions that have no jump, and what evaluations in f64 have them within, in units in the last place.
struct Smooth {
  Function f;
  int ulps;
};

std::optional<Smooth> hyperbolic(F function) {
  switch (function) {
    case F::sinh:
      return Smooth{[](L x) { return std::sinh(x); }, 4};
    case F::cosh:
      return Smooth{[](L x) { return std::cosh(x); }, 4};
    case F::tanh:
      return Smooth{[](L x) { return std::tanh(x); }, 4};
    case F::asinh:
      return Smooth{[](L x) { return std::asinh(x); }, 4};
    case F::acosh:
      return Smooth{[](L x) { return std::acosh(x); }, 4};
    case F::atanh:
      return Smooth{[](L x) { return std::atanh(x); }, 4};
    default:
      return std::nullopt;
  }
}

std::optional<Smooth> elementary(F function) {
  switch (function) {
    case F::rsqrt:
      return Smooth{[](L x) { return 1 / std::sqrt(x); }, 2};
    case F::exp:
      return Smooth{[](L x) { return std::exp(x); }, 4};
    case F::expm1:
      return Smooth{[](L x) { return std::expm1(x); }, 4};
    case F::log:
      return Smooth{[](L x) { return std::log(x); }, 4};
    case F::log1p:
      return Smooth{[](L x) { return std::log1p(x); }, 4};
    case F::sin:
      return Smooth{[](L x) { return std::sin(x); }, 4};
    case F::cos:
      return Smooth{[](L x) { return std::cos(x); }, 4};
    case F::tan:
      return Smooth{[](L x) { return std::tan(x); }, 4};
    case F::asin:
      return Smooth{[](L x) { return std::asin(x); }, 4};
    case F::acos:
      return Smooth{[](L x) { return std::acos(x); }, 4};
    case F::atan:
      return Smooth{[](L x) { return std::atan(x); }, 4};
    case F::erf:
      return Smooth{[](L x) { return std::erf(x); }, 4};
    default:
      return std::nullopt;
  }
}

std::optional<Smooth> activation(F function) {
  switch (function) {
    case F::sigmoid:
      return Smooth{sigmoid_of, 4};
    case F::silu:
      return Smooth{silu_of, 6};
    case F::softplus:
      return Smooth{softplus_of, 4};
    case F::softsign:
      return Smooth{[](L x) { return x / (1 + std::fabs(x)); }, 4};
    case F::mish:
      return Smooth{mish_of, 8};
    case F::hard_swish:
      return Smooth{hard_swish_of, 4};
    case F::log_sigmoid:
      return Smooth{[](L x) { return -softplus_of(-x); }, 4};
    default:
      return std::nullopt;
  }
}

/// Products of x and a function of it whose limit grows with x: u·|y|·(8 + `growth` of x), and |x| times what the
/// function loses where it is one of the smallest numbers of f64.
Real growing(Function f, Real x, L growth) {
  const Real y = apply(f, x, 4);
  if (!std::isfinite(y.value) || y.step != 0) return y;
  constexpr L least = std::numeric_limits<double>::denorm_min();
  return {y.value, y.off + 0x1p-53L * std::fabs(y.value) * growth + least * std::fabs(x.value)};
}

Real steps(F function, Real x) {
  switch (function) {
    case F::sign:
      return apply_steps([](L v) { return std::isnan(v) ? v : static_cast<L>((v > 0) - (v < 0)); }, x);
    case F::floor:
      return apply_steps([](L v) { return std::floor(v); }, x);
    case F::ceil:
      return apply_steps([](L v) { return std::ceil(v); }, x);
    case F::trunc:
      return apply_steps([](L v) { return std::trunc(v); }, x);
    case F::round:
      return apply_steps([](L v) { return std::nearbyint(v); }, x);
    default:
      throw NoAnswer{};
  }
}

/// The only functions that take x as it is.
std::optional<Real> simple(F function, Real x) {
  switch (function) {
    case F::abs:
      return abs(x);
    case F::negate:
      return -x;
    case F::square:
      return x * x;
    case F::reciprocal:
      return Real(1) / x;
    case F::sqrt:
      return sqrt(x);
    case F::relu:
      return maximum(x, Real(0));
    default:
      return std::nullopt;
  }
}

}  // namespace

Real function_of(F function, Real x) {
  if (const auto y = simple(function, x)) return *y;
  for (const auto& family : {elementary, hyperbolic, activation})
    if (const auto smooth = family(function)) {
      // Whatever its own value there: what products evaluate to at infinity is what counts.
      if (std::isinf(x.value) && function == F::mish && x.value < 0) return {std::numeric_limits<L>::quiet_NaN()};
      return apply(smooth->f, x, smooth->ulps);
    }
  const L square = x.value * x.value;
  if (function == F::gelu) return growing(gelu_of, x, 8 + 2 * square);
  if (function == F::gelu_tanh) {
    const L t = std::sqrt(2 / pi) * (x.value + L{0.044715} * x.value * square);
    return growing(gelu_tanh_of, x, 8 + 8 * std::fabs(t));
  }
  return steps(function, x);
}

}  // namespace plumb::parity::element
