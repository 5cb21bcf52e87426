#include "ir/ops/unary.hpp"

#include "ref_cpu/kernels/elementwise.hpp"
#include "ref_cpu/kernels/integers.hpp"
#include "ref_cpu/kernels/vector_math.hpp"

namespace plumb::ref_cpu {
namespace {

using ir::ops::UnaryFunction;

// Below, e is exp(-|x|): the forms of ops.md 3 in which nothing overflows and nothing cancels.

template <class T>
[[gnu::always_inline]] inline T softplus(T x) {
  return (x > 0 ? x : T(0)) + kernels::log1p_of_unit(kernels::exp_of(-std::fabs(x)));
}

template <class T>
[[gnu::always_inline]] inline T log_sigmoid(T x) {
  return (x < 0 ? x : T(0)) - kernels::log1p_of_unit(kernels::exp_of(-std::fabs(x)));
}

template <class T>
[[gnu::always_inline]] inline T mish(T x) {
  const T decay = -std::fabs(x), e = kernels::exp_of(decay),
          tail = kernels::exp_times(decay, x) * (e + 2) / (e * e + 2 * e + 2);
  const T head = x * (1 + 2 * e) / (1 + 2 * e + 2 * e * e);
  return x >= 0 ? head : tail;
}

template <class T>
[[gnu::always_inline]] inline T hard_swish(T x) {
  const T slope = (x + 3) / 6;  // not x / 6 + 1/2, which cancels near -3
  const T low = slope < 0 ? T(0) : slope;
  return x * (low > 1 ? T(1) : low);
}

// One function a line.
// clang-format off

/// Calls use with the function over reals computed in T: float or double.
template <class T, class Use>
void with_real(UnaryFunction function, const Use& use) {
  switch (function) {
    case UnaryFunction::abs: return use([](T x) { return std::fabs(x); });
    case UnaryFunction::negate: return use([](T x) { return -x; });
    case UnaryFunction::sign: return use([](T x) { return x > 0 ? T(1) : x < 0 ? T(-1) : x; });
    case UnaryFunction::square: return use([](T x) { return x * x; });
    case UnaryFunction::reciprocal: return use([](T x) { return 1 / x; });
    case UnaryFunction::sqrt: return use([](T x) { return std::sqrt(x); });
    case UnaryFunction::rsqrt: return use([](T x) { return 1 / std::sqrt(x); });
    case UnaryFunction::exp: return use([](T x) { return kernels::exp_of(x); });
    case UnaryFunction::expm1: return use([](T x) { return std::expm1(x); });
    case UnaryFunction::log: return use([](T x) { return std::log(x); });
    case UnaryFunction::log1p: return use([](T x) { return std::log1p(x); });
    case UnaryFunction::sin: return use([](T x) { return std::sin(x); });
    case UnaryFunction::cos: return use([](T x) { return std::cos(x); });
    case UnaryFunction::tan: return use([](T x) { return std::tan(x); });
    case UnaryFunction::asin: return use([](T x) { return std::asin(x); });
    case UnaryFunction::acos: return use([](T x) { return std::acos(x); });
    case UnaryFunction::atan: return use([](T x) { return std::atan(x); });
    case UnaryFunction::sinh: return use([](T x) { return std::sinh(x); });
    case UnaryFunction::cosh: return use([](T x) { return std::cosh(x); });
    case UnaryFunction::tanh: return use([](T x) { return kernels::tanh_of(x); });
    case UnaryFunction::asinh: return use([](T x) { return std::asinh(x); });
    case UnaryFunction::acosh: return use([](T x) { return std::acosh(x); });
    case UnaryFunction::atanh: return use([](T x) { return std::atanh(x); });
    case UnaryFunction::erf: return use([](T x) { return kernels::erf_of(x); });
    case UnaryFunction::floor: return use([](T x) { return std::floor(x); });
    case UnaryFunction::ceil: return use([](T x) { return std::ceil(x); });
    case UnaryFunction::trunc: return use([](T x) { return std::trunc(x); });
    case UnaryFunction::round: return use([](T x) { return std::nearbyint(x); });  // halves to even
    case UnaryFunction::relu: return use([](T x) { return x <= 0 ? T(0) : x; });  // NaN stays
    case UnaryFunction::sigmoid: return use([](T x) { return kernels::sigmoid_of(x); });
    case UnaryFunction::silu: return use([](T x) { return kernels::gated(x, x); });
    case UnaryFunction::gelu: return use([](T x) { return kernels::gelu_of(x); });
    case UnaryFunction::gelu_tanh: return use([](T x) { return kernels::gelu_tanh_of(x); });
    case UnaryFunction::softplus: return use([](T x) { return softplus(x); });
    case UnaryFunction::softsign: return use([](T x) { return x / (1 + std::fabs(x)); });
    case UnaryFunction::mish: return use([](T x) { return mish(x); });
    case UnaryFunction::hard_swish: return use([](T x) { return hard_swish(x); });
    case UnaryFunction::log_sigmoid: return use([](T x) { return log_sigmoid(x); });
    default: break;
  }
}

/// Integers: abs and negate of the least one wrap to itself.
template <class T, class Use>
void with_integer(UnaryFunction function, const Use& use) {
  switch (function) {
    case UnaryFunction::abs: return use([](T x) { return x < 0 ? kernels::wrapping_subtract(T{0}, x) : x; });
    case UnaryFunction::negate: return use([](T x) { return kernels::wrapping_subtract(T{0}, x); });
    case UnaryFunction::sign: return use([](T x) { return static_cast<T>((x > 0) - (x < 0)); });
    case UnaryFunction::square: return use([](T x) { return kernels::wrapping_multiply(x, x); });
    case UnaryFunction::relu: return use([](T x) { return x < 0 ? T{0} : x; });
    case UnaryFunction::bitwise_not: return use([](T x) { return static_cast<T>(~x); });
    default: break;
  }
}

template <class T, class Use>
void with_complex(UnaryFunction function, const Use& use) {
  const auto square = [](T z) { return T(z.real() * z.real() - z.imag() * z.imag(), 2 * z.real() * z.imag()); };
  switch (function) {
    case UnaryFunction::negate: return use([](T z) { return -z; });
    case UnaryFunction::square: return use(square);
    case UnaryFunction::reciprocal: return use([](T z) { return T(1) / z; });
    case UnaryFunction::sqrt: return use([](T z) { return std::sqrt(z); });
    case UnaryFunction::exp: return use([](T z) { return std::exp(z); });
    case UnaryFunction::log: return use([](T z) { return std::log(z); });
    case UnaryFunction::conjugate: return use([](T z) { return std::conj(z); });
    default: break;
  }
}

// clang-format on

}  // namespace

void run(const ir::ops::Unary& op, Call& call) {
  ir::visit_any(call.in(0).dtype(), [&]<class T>(T) {
    const auto use = [&](const auto& function) { kernels::elementwise<T, T>(call, function); };
    if constexpr (std::is_same_v<T, bool>)
      use([](bool x) { return !x; });
    else if constexpr (std::is_integral_v<T>)
      with_integer<T>(op.function, use);
    else if constexpr (ir::is_complex(ir::dtype_of<T>))
      with_complex<T>(op.function, use);
    else
      with_real<ir::compute_t<T>>(op.function, use);
  });
}

}  // namespace plumb::ref_cpu
