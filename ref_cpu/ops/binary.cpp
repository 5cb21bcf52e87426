#include "ir/ops/binary.hpp"

#include "ref_cpu/elementwise.hpp"
#include "ref_cpu/integers.hpp"

namespace plumb::ref_cpu {
namespace {

using Function = ir::ops::BinaryFunction;

/// The remainder with the sign of the divisor, from the one with the dividend's.
template <class T>
T with_divisor_sign(T r, T b) {
  return r != 0 && (r < 0) != (b < 0) ? static_cast<T>(r + b) : r;
}

// One function a line.
// clang-format off

template <class T, class Use>
void with_real(Function function, const Use& use) {
  switch (function) {
    case Function::add: return use([](T a, T b) { return a + b; });
    case Function::subtract: return use([](T a, T b) { return a - b; });
    case Function::multiply: return use([](T a, T b) { return a * b; });
    case Function::divide: return use([](T a, T b) { return a / b; });
    case Function::maximum: return use([](T a, T b) { return a > b || a != a ? a : b; });  // NaN propagates
    case Function::minimum: return use([](T a, T b) { return a < b || a != a ? a : b; });
    case Function::power: return use([](T a, T b) { return std::pow(a, b); });
    case Function::mod: return use([](T a, T b) { return with_divisor_sign(std::fmod(a, b), b); });
    case Function::fmod: return use([](T a, T b) { return std::fmod(a, b); });
    case Function::atan2: return use([](T a, T b) { return std::atan2(a, b); });
    default: break;
  }
}

template <class T, class Use>
void with_integer(Function function, const Use& use) {
  switch (function) {
    case Function::add: return use([](T a, T b) { return wrapping_add(a, b); });
    case Function::subtract: return use([](T a, T b) { return wrapping_subtract(a, b); });
    case Function::multiply: return use([](T a, T b) { return wrapping_multiply(a, b); });
    case Function::divide: return use([](T a, T b) { return quotient(a, b); });
    case Function::maximum: return use([](T a, T b) { return a > b ? a : b; });
    case Function::minimum: return use([](T a, T b) { return a < b ? a : b; });
    case Function::power: return use([](T a, T b) { return integer_power(a, b); });
    case Function::mod: return use([](T a, T b) { return with_divisor_sign(remainder(a, b), b); });
    case Function::fmod: return use([](T a, T b) { return remainder(a, b); });
    case Function::bit_and: return use([](T a, T b) { return static_cast<T>(a & b); });
    case Function::bit_or: return use([](T a, T b) { return static_cast<T>(a | b); });
    case Function::bit_xor: return use([](T a, T b) { return static_cast<T>(a ^ b); });
    case Function::shift_left: return use([](T a, T b) { return shift_left(a, b); });
    case Function::shift_right: return use([](T a, T b) { return shift_right(a, b); });
    default: break;
  }
}

/// The product is the plain one, without C's recovery of infinities from NaN.
template <class T, class Use>
void with_complex(Function function, const Use& use) {
  const auto product = [](T a, T b) {
    return T(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
  };
  switch (function) {
    case Function::add: return use([](T a, T b) { return a + b; });
    case Function::subtract: return use([](T a, T b) { return a - b; });
    case Function::multiply: return use(product);
    case Function::divide: return use([](T a, T b) { return a / b; });
    default: break;
  }
}

template <class Use>
void with_bool(Function function, const Use& use) {
  switch (function) {
    case Function::logical_and: return use([](bool a, bool b) { return a && b; });
    case Function::logical_or: return use([](bool a, bool b) { return a || b; });
    case Function::logical_xor: return use([](bool a, bool b) { return a != b; });
    default: break;
  }
}

// clang-format on

}  // namespace

void run(const ir::ops::Binary& op, Call& call) {
  ir::visit_any(call.in(0).dtype(), [&]<class T>(T) {
    const auto use = [&](const auto& function) { elementwise<T, T, T>(call, function); };
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
