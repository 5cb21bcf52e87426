#include "ir/ops/binary.hpp"

#include "ref_cpu/kernels/elementwise.hpp"
#include "ref_cpu/kernels/integers.hpp"
#include "ref_cpu/kernels/unfused.hpp"

namespace plumb::ref_cpu {
namespace {

using ir::ops::BinaryFunction;

/// The remainder with the sign of the divisor, from the one with the dividend's.
template <class T>
T with_divisor_sign(T r, T b) {
  return r != 0 && (r < 0) != (b < 0) ? static_cast<T>(r + b) : r;
}

// One function a line.
// clang-format off

template <class T, class Use>
void with_real(BinaryFunction function, const Use& use) {
  switch (function) {
    case BinaryFunction::add: return use([](T a, T b) { return a + b; });
    case BinaryFunction::subtract: return use([](T a, T b) { return a - b; });
    case BinaryFunction::multiply: return use([](T a, T b) { return a * b; });
    case BinaryFunction::divide: return use([](T a, T b) { return a / b; });
    case BinaryFunction::maximum: return use([](T a, T b) { return a > b || a != a ? a : b; });  // NaN propagates
    case BinaryFunction::minimum: return use([](T a, T b) { return a < b || a != a ? a : b; });
    case BinaryFunction::power: return use([](T a, T b) { return std::pow(a, b); });
    case BinaryFunction::mod: return use([](T a, T b) { return with_divisor_sign(std::fmod(a, b), b); });
    case BinaryFunction::fmod: return use([](T a, T b) { return std::fmod(a, b); });
    case BinaryFunction::atan2: return use([](T a, T b) { return std::atan2(a, b); });
    default: break;
  }
}

template <class T, class Use>
void with_integer(BinaryFunction function, const Use& use) {
  switch (function) {
    case BinaryFunction::add: return use([](T a, T b) { return kernels::wrapping_add(a, b); });
    case BinaryFunction::subtract: return use([](T a, T b) { return kernels::wrapping_subtract(a, b); });
    case BinaryFunction::multiply: return use([](T a, T b) { return kernels::wrapping_multiply(a, b); });
    case BinaryFunction::divide: return use([](T a, T b) { return kernels::quotient(a, b); });
    case BinaryFunction::maximum: return use([](T a, T b) { return a > b ? a : b; });
    case BinaryFunction::minimum: return use([](T a, T b) { return a < b ? a : b; });
    case BinaryFunction::power: return use([](T a, T b) { return kernels::integer_power(a, b); });
    case BinaryFunction::mod: return use([](T a, T b) { return with_divisor_sign(kernels::remainder(a, b), b); });
    case BinaryFunction::fmod: return use([](T a, T b) { return kernels::remainder(a, b); });
    case BinaryFunction::bit_and: return use([](T a, T b) { return static_cast<T>(a & b); });
    case BinaryFunction::bit_or: return use([](T a, T b) { return static_cast<T>(a | b); });
    case BinaryFunction::bit_xor: return use([](T a, T b) { return static_cast<T>(a ^ b); });
    case BinaryFunction::shift_left: return use([](T a, T b) { return kernels::shift_left(a, b); });
    case BinaryFunction::shift_right: return use([](T a, T b) { return kernels::shift_right(a, b); });
    default: break;
  }
}

template <class T, class Use>
void with_complex(BinaryFunction function, const Use& use) {
  switch (function) {
    case BinaryFunction::add: return use([](T a, T b) { return a + b; });
    case BinaryFunction::subtract: return use([](T a, T b) { return a - b; });
    case BinaryFunction::multiply: return use([](T a, T b) { return kernels::complex_product(a, b); });
    case BinaryFunction::divide: return use([](T a, T b) { return a / b; });
    default: break;
  }
}

template <class Use>
void with_bool(BinaryFunction function, const Use& use) {
  switch (function) {
    case BinaryFunction::logical_and: return use([](bool a, bool b) { return a && b; });
    case BinaryFunction::logical_or: return use([](bool a, bool b) { return a || b; });
    case BinaryFunction::logical_xor: return use([](bool a, bool b) { return a != b; });
    default: break;
  }
}

// clang-format on

}  // namespace

void run(const ir::ops::Binary& op, Call& call) {
  ir::visit_any(call.in(0).dtype(), [&]<class T>(T) {
    const auto use = [&](const auto& function) { kernels::elementwise<T, T, T>(call, function); };
    if constexpr (std::is_same_v<T, bool>)
      with_bool(op.function, use);
    else if constexpr (std::is_integral_v<T>)
      with_integer<T>(op.function, use);
    else if constexpr (ir::is_complex(ir::dtype_of<T>))
      with_complex<T>(op.function, use);
    else
      with_real<ir::compute_t<T>>(op.function, use);
  });
}

}  // namespace plumb::ref_cpu
