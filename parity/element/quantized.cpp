// Scales by place, and floats of few bits by their formulas.
#include "parity/element/quantized.hpp"

#include <cmath>
#include <limits>

namespace plumb::parity::element {

Number scale_of(const Call& call, std::int64_t axis, std::int64_t block_size, std::size_t of) {
  const ir::Shape& scale = call.in(of);
  if (scale.empty() || (scale.size() == 1 && scale[0] == 1)) return call.number(of, 0);
  const std::size_t along = axis_of(axis, call.in(0).size());
  if (block_size == 0) return call.number(of, Position{call.at(along)});
  Position block = call.at();
  block[along] /= block_size;
  return call.number(of, block);
}

long double small_float(int code, int exponent_bits, int fraction_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1, top = (1 << exponent_bits) - 1;
  const int field = code >> fraction_bits & top, fraction = code & ((1 << fraction_bits) - 1);
  const long double sign = (code >> (exponent_bits + fraction_bits) & 1) != 0 ? -1 : 1;
  if (field == top && fraction != 0) return std::numeric_limits<long double>::quiet_NaN();
  if (field == top) return sign * std::numeric_limits<long double>::infinity();
  if (field == 0) return sign * std::ldexp(static_cast<long double>(fraction), 1 - bias - fraction_bits);
  return sign * std::ldexp(static_cast<long double>(fraction + (1 << fraction_bits)), field - bias - fraction_bits);
}

long double value_of_code(CodeFormat format, std::int64_t code) {
  constexpr long double sizes_of_e2m1[] = {0, 0.5L, 1, 1.5L, 2, 3, 4, 6};
  const auto bits = static_cast<int>(code);
  if (format == CodeFormat::e5m2) return small_float(bits, 5, 2);
  if (format == CodeFormat::e2m1) return ((bits & 8) != 0 ? -1 : 1) * sizes_of_e2m1[bits & 7];
  // E4M3 has finite numbers where IEEE 754 would have infinities, and one NaN of either sign.
  if ((bits & 127) == 127) return std::numeric_limits<long double>::quiet_NaN();
  if ((bits & 127) >= 120) return ((bits & 128) != 0 ? -1 : 1) * std::ldexp(8.0L + (bits & 7), 5);
  return small_float(bits, 4, 3);
}

}  // namespace plumb::parity::element
