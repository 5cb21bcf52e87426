// One byte of a block, from the 32 numbers that the block packs (ops.md A.6). Every operation is rounded to f32, which
// one of long double, rounded once more, gives.
#include "ir/ops/quantize_blocks.hpp"

#include <array>
#include <cmath>

#include "parity/element/call.hpp"

namespace plumb::parity::element {
namespace {

using Format = ir::ops::PackedFormat;
using Numbers = std::array<float, 32>;

float f32(long double x) { return static_cast<float>(x); }

/// The bits of the f16 nearest to x, ties to even.
int half_bits(float x) {
  const int sign = std::signbit(x) ? 0x8000 : 0;
  const long double size = std::fabs(static_cast<long double>(x));
  if (size == 0) return sign;
  const int exponent = std::max(std::ilogb(size), -14);
  const auto steps = static_cast<int>(std::nearbyint(std::ldexp(size, 10 - std::min(exponent, 16))));
  const int bits = exponent > 15 ? 0x7C00 : steps + (exponent + 14) * 1024;  // the leading bit counts one exponent more
  return sign | std::min(bits, 0x7C00);
}

float largest(const Numbers& x) {
  float found = 0;
  for (const float one : x)
    if (std::fabs(one) > std::fabs(found)) found = one;
  return found;
}

/// The reciprocal of a scale, 0 where f32 has none.
float inverse(float d) {
  const float size = std::fabs(d);
  return size < 0x1p-126f || std::isinf(size) ? 0 : f32(1.0L / d);
}

int cut(float t, int most) { return t < 1 ? 0 : std::min(static_cast<int>(std::trunc(t)), most); }

/// A block of a format with codes of 4 or 5 bits: two factors, of which the second may be absent, and the codes.
struct Packed {
  float d = 0, least = 0;
  std::array<int, 32> codes{};
};

Packed by_largest(const Numbers& x, int half) {
  Packed made{.d = f32(static_cast<long double>(largest(x)) / -half)};
  const float id = inverse(made.d);
  for (std::size_t e = 0; e < 32; ++e)
    made.codes[e] =
        cut(f32(static_cast<long double>(f32(static_cast<long double>(x[e]) * id)) + half + 0.5L), 2 * half - 1);
  return made;
}

Packed by_ends(const Numbers& x, int most) {
  float low = x[0], high = x[0];
  for (const float one : x) {
    low = std::fmin(low, one);
    high = std::fmax(high, one);
  }
  Packed made{.d = f32(static_cast<long double>(f32(static_cast<long double>(high) - low)) / most), .least = low};
  const float id = inverse(made.d);
  for (std::size_t e = 0; e < 32; ++e) {
    const float above = f32(static_cast<long double>(x[e]) - low);
    made.codes[e] =
        id == 0 ? 0 : cut(f32(static_cast<long double>(f32(static_cast<long double>(above) * id)) + 0.5L), most);
  }
  return made;
}

int byte_of_half(float x, std::int64_t i) { return half_bits(x) >> 8 * i & 255; }

/// Byte i: one factor or two, perhaps four bytes of fifth bits, then nibbles.
int byte_of(const Packed& block, bool has_least, bool has_fifths, std::int64_t i) {
  if (i < 2) return byte_of_half(block.d, i);
  if (has_least && i < 4) return byte_of_half(block.least, i - 2);
  i -= has_least ? 4 : 2;
  if (has_fifths && i < 4) {
    int bits = 0;
    for (std::size_t e = 0; e < 8; ++e) bits += (block.codes[static_cast<std::size_t>(8 * i) + e] >= 16 ? 1 : 0) << e;
    return bits;
  }
  const auto e = static_cast<std::size_t>(has_fifths ? i - 4 : i);
  return block.codes[e] % 16 + 16 * (block.codes[e + 16] % 16);
}

int byte_of_q8_0(const Numbers& x, std::int64_t i) {
  const float d = f32(std::fabs(static_cast<long double>(largest(x))) / 127);
  if (i < 2) return byte_of_half(d, i);
  const float r = f32(static_cast<long double>(x[static_cast<std::size_t>(i - 2)]) * inverse(d));
  return static_cast<int>(std::round(r)) & 255;
}

int byte_of_mxfp4(const Numbers& x, std::int64_t i) {
  constexpr int values[] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};
  const float most = std::fabs(largest(x));
  const int scale = most == 0 ? 0 : std::max(most < 0x1p-126f ? -2 : std::ilogb(most) + 125, 0);
  if (i == 0) return scale;
  const auto code = [&](std::size_t e) {
    const long double r = std::ldexp(static_cast<long double>(x[e]), 128 - scale);
    int found = 0;
    for (int index = 1; index < 16; ++index)
      if (std::fabs(r - values[index]) < std::fabs(r - values[found])) found = index;
    return found;
  };
  const auto e = static_cast<std::size_t>(i - 1);
  return code(e) + 16 * code(e + 16);
}

int byte_of(Format format, const Numbers& x, std::int64_t i) {
  switch (format) {
    case Format::q4_0:
      return byte_of(by_largest(x, 8), false, false, i);
    case Format::q5_0:
      return byte_of(by_largest(x, 16), false, true, i);
    case Format::q4_1:
      return byte_of(by_ends(x, 15), true, false, i);
    case Format::q5_1:
      return byte_of(by_ends(x, 31), true, true, i);
    case Format::q8_0:
      return byte_of_q8_0(x, i);
    default:
      return byte_of_mxfp4(x, i);
  }
}

}  // namespace

Number element(const ir::ops::QuantizeBlocks& op, const Call& call) {
  const std::int64_t blocks = call.in(0).back() / 32, bytes = call.out().back() / blocks;
  Position at = call.at();
  const std::int64_t first = call.at().back() / bytes * 32, i = call.at().back() % bytes;
  Numbers x{};
  for (std::size_t e = 0; e < 32; ++e) {
    at.back() = first + static_cast<std::int64_t>(e);
    const Real one = call.real(0, at);
    if (one.off != 0 || !std::isfinite(one.value)) throw NoAnswer{};
    x[e] = f32(one.value);
  }
  return {Real(byte_of(op.format, x, i))};
}

}  // namespace plumb::parity::element
