// Numbers as tensors hold them.
// Optimised: it loops over elements or terms.
#include "parity/element/stored.hpp"

#include <cstring>
#include <limits>

namespace plumb::parity::element {
namespace {

template <class T>
T stored(const ir::TensorView& tensor, std::int64_t place) {
  T x;
  std::memcpy(&x, tensor.bytes().data() + static_cast<std::size_t>(place) * sizeof(T), sizeof(T));
  return x;
}

/// A number of 16 bits: sign, exponent, fraction (IEEE 754, 3.4).
long double of_16_bits(std::uint16_t bits, int fraction_bits) {
  const int exponent_bits = 15 - fraction_bits, bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = bits >> fraction_bits & ((1 << exponent_bits) - 1), fraction = bits & ((1 << fraction_bits) - 1);
  const long double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == (1 << exponent_bits) - 1)
    return sign * (fraction == 0 ? std::numeric_limits<long double>::infinity()
                                 : std::numeric_limits<long double>::quiet_NaN());
  if (exponent == 0) return sign * std::ldexp(static_cast<long double>(fraction), 1 - bias - fraction_bits);
  return sign * std::ldexp(static_cast<long double>(fraction + (1 << fraction_bits)), exponent - bias - fraction_bits);
}

/// The bits of an integer, of any sign, in 64.
std::uint64_t bits_of(long double x) { return x < 0 ? -static_cast<std::uint64_t>(-x) : static_cast<std::uint64_t>(x); }

/// The largest and the smallest number of an integer type.
struct Range {
  long double low, high;
};

Range range_of(ir::DType dtype) {
  const int bits = 8 * static_cast<int>(ir::info(dtype).bytes);
  if (!ir::is_signed(dtype)) return {0, std::ldexp(1.0L, bits) - 1};
  return {-std::ldexp(1.0L, bits - 1), std::ldexp(1.0L, bits - 1) - 1};
}

/// Truncated, then saturated; NaN gives 0. Integers have no negative zero.
long double as_integer(ir::DType dtype, long double x) {
  const auto [low, high] = range_of(dtype);
  if (std::isnan(x)) return 0;
  if (x <= low) return low;
  return x >= high ? high : std::trunc(x) + 0.0L;
}

}  // namespace

Number number_of(const ir::TensorView& tensor, std::int64_t index) {
  const auto real = [](long double x) { return Number(Real(x)); };
  switch (tensor.dtype()) {
    case ir::DType::boolean:
      return real(stored<std::uint8_t>(tensor, index) != 0 ? 1 : 0);
    case ir::DType::u8:
      return real(stored<std::uint8_t>(tensor, index));
    case ir::DType::i8:
      return real(stored<std::int8_t>(tensor, index));
    case ir::DType::u16:
      return real(stored<std::uint16_t>(tensor, index));
    case ir::DType::i16:
      return real(stored<std::int16_t>(tensor, index));
    case ir::DType::i32:
      return real(stored<std::int32_t>(tensor, index));
    case ir::DType::u32:
      return real(stored<std::uint32_t>(tensor, index));
    case ir::DType::i64:
      return real(stored<std::int64_t>(tensor, index));
    case ir::DType::f16:
      return real(of_16_bits(stored<std::uint16_t>(tensor, index), 10));
    case ir::DType::bf16:
      return real(of_16_bits(stored<std::uint16_t>(tensor, index), 7));
    case ir::DType::f32:
      return real(stored<float>(tensor, index));
    case ir::DType::f64:
      return real(stored<double>(tensor, index));
    case ir::DType::c64:
      return {Real(stored<float>(tensor, 2 * index)), Real(stored<float>(tensor, 2 * index + 1))};
    case ir::DType::c128:
      return {Real(stored<double>(tensor, 2 * index)), Real(stored<double>(tensor, 2 * index + 1))};
  }
  throw NoAnswer{};
}

Number stored_as(ir::DType from, ir::DType to, Number x) {
  if (to == ir::DType::boolean) {
    const auto is_other_than_0 = [](Real part) { return !equal(part, Real(0)); };
    return {Real(is_other_than_0(x.re) || is_other_than_0(x.im) ? 1 : 0)};
  }
  if (ir::is_integer(to)) {
    if (!ir::is_float(from)) return wrap(to, bits_of(x.re.value));
    const auto low = as_integer(to, x.re.value - x.re.off), high = as_integer(to, x.re.value + x.re.off);
    if (low != high) throw NoAnswer{};
    return {Real(as_integer(to, x.re.value))};
  }
  // Floats are f64 in the truth (ops.md 1.10), where an integer may have to be rounded: to nearest as an f64, and as a
  // narrower float, which rounds it again, to whichever side of it decides a tie.
  const auto nearest = static_cast<double>(x.re.value);
  if (ir::is_integer(from) && (nearest == x.re.value || ir::unit_roundoff(to) <= roundoff)) return {Real(nearest)};
  if (ir::is_integer(from)) return {Real(x.re.value, std::fabs(x.re.value) * 2 * roundoff)};
  return x;
}

}  // namespace plumb::parity::element
