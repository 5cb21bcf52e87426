// A function of two elements (ops.md 3).
#include "ir/ops/binary.hpp"

#include <algorithm>
#include <optional>

#include "parity/element/call.hpp"

namespace plumb::parity::element {
namespace {

using BinaryF = ir::ops::BinaryFunction;

/// The remainder with the sign of the dividend, and with that of the divisor. What is not exact, or lies where the
/// quotient may be either of two whole numbers, is not decided.
Real remainder_of(BinaryF function, Real a, Real b) {
  if (a.off + b.off > 0) throw NoAnswer{};
  const long double rest = std::fmod(a.value, b.value);
  if (function == BinaryF::fmod || rest == 0 || std::isnan(rest) || (rest < 0) == (b.value < 0)) return {rest};
  return Real(rest) + b;
}

Number of_reals(BinaryF function, Real a, Real b) {
  using L = long double;
  switch (function) {
    case BinaryF::add:
      return a + b;
    case BinaryF::subtract:
      return a - b;
    case BinaryF::multiply:
      return a * b;
    case BinaryF::divide:
      return a / b;
    case BinaryF::maximum:
      return maximum(a, b);
    case BinaryF::minimum:
      return minimum(a, b);
    case BinaryF::power:
      return apply([](L x, L y) { return std::pow(x, y); }, a, b, library_ulps);
    case BinaryF::atan2:
      return apply([](L y, L x) { return std::atan2(y, x); }, a, b, library_ulps);
    case BinaryF::mod:
    case BinaryF::fmod:
      return remainder_of(function, a, b);
    default:
      throw NoAnswer{};
  }
}

Number of_complexes(BinaryF function, Number a, Number b) {
  switch (function) {
    case BinaryF::add:
      return a + b;
    case BinaryF::subtract:
      return a - b;
    case BinaryF::multiply:
      return a * b;
    case BinaryF::divide:
      return a / b;
    default:
      throw NoAnswer{};
  }
}

std::uint64_t power_of(std::int64_t base, std::int64_t exponent) {
  if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -std::uint64_t{1}) : 0;
  std::uint64_t y = 1, square = static_cast<std::uint64_t>(base);
  for (; exponent > 0; exponent /= 2, square *= square)
    if (exponent % 2 == 1) y *= square;
  return y;
}

/// Quotient or remainder of integers: by 0 both are 0; the smallest number divided by -1 is itself.
std::uint64_t quotient(BinaryF function, std::int64_t a, std::int64_t b) {
  const auto bits = [](std::int64_t x) { return static_cast<std::uint64_t>(x); };
  if (b == 0) return 0;
  if (b == -1) return function == BinaryF::divide ? -bits(a) : 0;
  if (function == BinaryF::divide) return bits(a / b);
  const std::int64_t rest = a % b;
  return bits(function == BinaryF::mod && rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest);
}

std::uint64_t shifted(BinaryF function, ir::DType dtype, std::int64_t a, std::int64_t amount) {
  const auto width = static_cast<std::int64_t>(8 * ir::info(dtype).bytes);
  const bool is_beyond = amount < 0 || amount >= width;
  if (function == BinaryF::shift_left) return is_beyond ? 0 : static_cast<std::uint64_t>(a) << amount;
  return static_cast<std::uint64_t>(a >> (is_beyond ? 63 : amount));
}

std::optional<std::uint64_t> arithmetic(BinaryF function, std::int64_t a, std::int64_t b) {
  const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
  switch (function) {
    case BinaryF::add:
      return x + y;
    case BinaryF::subtract:
      return x - y;
    case BinaryF::multiply:
      return x * y;
    case BinaryF::maximum:
      return static_cast<std::uint64_t>(std::max(a, b));
    case BinaryF::minimum:
      return static_cast<std::uint64_t>(std::min(a, b));
    case BinaryF::power:
      return power_of(a, b);
    case BinaryF::divide:
    case BinaryF::mod:
    case BinaryF::fmod:
      return quotient(function, a, b);
    default:
      return std::nullopt;
  }
}

Number of_integers(BinaryF function, ir::DType dtype, std::int64_t a, std::int64_t b) {
  if (const auto y = arithmetic(function, a, b)) return wrap(dtype, *y);
  const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
  switch (function) {
    case BinaryF::bit_and:
    case BinaryF::logical_and:
      return wrap(dtype, x & y);
    case BinaryF::bit_or:
    case BinaryF::logical_or:
      return wrap(dtype, x | y);
    case BinaryF::bit_xor:
    case BinaryF::logical_xor:
      return wrap(dtype, x ^ y);
    default:
      return wrap(dtype, shifted(function, dtype, a, b));
  }
}

}  // namespace

Number element(const ir::ops::Binary& op, const Call& call) {
  const Number a = call.stretched(0), b = call.stretched(1);
  const ir::DType dtype = call.dtype_in(0);
  if (ir::is_complex(dtype)) return of_complexes(op.function, a, b);
  if (ir::is_float(dtype)) return of_reals(op.function, a.re, b.re);
  return of_integers(op.function, dtype, whole(a), whole(b));
}

}  // namespace plumb::parity::element
