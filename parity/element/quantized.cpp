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

long double value_of_code(CodeFormat format, std::int64_t code) {
  const int exponent_bits = format == CodeFormat::e4m3 ? 4 : format == CodeFormat::e5m2 ? 5 : 2;
  const int fraction_bits = format == CodeFormat::e4m3 ? 3 : format == CodeFormat::e5m2 ? 2 : 1;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const auto exponent = static_cast<int>(code >> fraction_bits) & ((1 << exponent_bits) - 1);
  const auto fraction = static_cast<int>(code) & ((1 << fraction_bits) - 1);
  const long double sign = (code >> (exponent_bits + fraction_bits) & 1) != 0 ? -1 : 1;
  const bool is_last = exponent == (1 << exponent_bits) - 1;
  if (format == CodeFormat::e4m3 && is_last && fraction == 7) return std::numeric_limits<long double>::quiet_NaN();
  if (format == CodeFormat::e5m2 && is_last)
    return fraction == 0 ? sign * std::numeric_limits<long double>::infinity()
                         : std::numeric_limits<long double>::quiet_NaN();
  if (exponent == 0) return sign * std::ldexp(static_cast<long double>(fraction), 1 - bias - fraction_bits);
  return sign * std::ldexp(static_cast<long double>(fraction + (1 << fraction_bits)), exponent - bias - fraction_bits);
}

}  // namespace plumb::parity::element
