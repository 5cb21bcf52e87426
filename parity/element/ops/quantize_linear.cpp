// The code of x over its scale: a whole number, or the float of few bits that is nearest.
#include "ir/ops/quantize_linear.hpp"

#include <algorithm>

#include "parity/element/call.hpp"
#include "parity/element/quantized.hpp"

namespace plumb::parity::element {
namespace {

std::int64_t integer_code(const ir::ops::QuantizeLinear& op, Real quotient, std::int64_t zero) {
  const int bits = static_cast<int>(op.bits == 0 ? 8 * ir::info(op.dtype).bytes : static_cast<std::size_t>(op.bits));
  const std::int64_t count = std::int64_t{1} << bits, least = ir::is_signed(op.dtype) ? -count / 2 : 0;
  if (std::isnan(quotient.value)) return std::clamp(zero, least, least + count - 1);
  const long double from = std::clamp(quotient.value - quotient.off, -1e6L, 1e6L);
  const long double to = std::clamp(quotient.value + quotient.off, -1e6L, 1e6L);
  const auto code = [&](long double real) {
    return std::clamp(static_cast<std::int64_t>(std::nearbyint(real)) + zero, least, least + count - 1);
  };
  if (code(from) != code(to)) throw NoAnswer{};
  return code(from);
}

/// The nearest of all numbers that codes have, by looking at each.
std::int64_t float_code(const ir::ops::QuantizeLinear& op, long double real) {
  const bool is_four_bits = op.code == CodeFormat::e2m1, is_e4m3 = op.code == CodeFormat::e4m3;
  const std::int64_t last = is_four_bits ? 0x7 : is_e4m3 ? 0x7E : 0x7B;
  const std::int64_t sign = !std::isnan(real) && std::signbit(real) ? (is_four_bits ? 0x8 : 0x80) : 0;
  if (std::isnan(real)) return is_four_bits ? last : 0x7F;
  const long double size = std::fabs(real);
  // The number behind the last is as far away as that is from the one before it.
  const long double most = value_of_code(op.code, last), step = most - value_of_code(op.code, last - 1);
  const bool is_beyond = size > most + step / 2 || (size == most + step / 2 && last % 2 != 0);
  if (is_beyond && !op.saturate) return sign | (last + 1);
  std::int64_t nearest = 0;
  for (std::int64_t code = 1; code <= last; ++code) {
    const long double away = std::fabs(size - value_of_code(op.code, code));
    const long double nearest_away = std::fabs(size - value_of_code(op.code, nearest));
    if (away < nearest_away || (away == nearest_away && code % 2 == 0)) nearest = code;
  }
  return sign | (std::isinf(size) ? last : nearest);
}

}  // namespace

Number element(const ir::ops::QuantizeLinear& op, const Call& call) {
  const Real scale = scale_of(call, op.axis, op.block_size, 1).re;
  const Real quotient = call.real(0, call.at()) / scale;
  if (op.code == CodeFormat::integer) {
    const std::int64_t zero = op.has_zero_point ? whole(scale_of(call, op.axis, op.block_size, 2)) : 0;
    return Number(Real(static_cast<long double>(integer_code(op, quotient, zero))));
  }
  const std::int64_t code = float_code(op, quotient.value - quotient.off);
  if (code != float_code(op, quotient.value + quotient.off)) throw NoAnswer{};
  return Number(Real(static_cast<long double>(code)));
}

}  // namespace plumb::parity::element
