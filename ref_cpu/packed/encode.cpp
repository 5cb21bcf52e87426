// Blocks by the encoders in closed form. Every operation is rounded to f32 by itself.
#include "ref_cpu/packed/encode.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "ir/error.hpp"
#include "ir/half.hpp"

namespace plumb::ref_cpu::packed {
namespace {

using ir::kernels::packed::Format;
using Byte = std::uint8_t;

constexpr int elements = 32;

/// The element of largest size, the first of equals.
float largest(const float* x) {
  float found = 0;
  for (int e = 0; e < elements; ++e)
    if (std::fabs(x[e]) > std::fabs(found)) found = x[e];
  return found;
}

/// The reciprocal of a scale; 0 of one that has none in the range of f32, whose codes are those of 0.
float inverse(float d) {
  const float size = std::fabs(d);
  return size >= std::numeric_limits<float>::min() && size <= std::numeric_limits<float>::max() ? 1 / d : 0;
}

void put_half(float x, Byte* b) {
  const std::uint16_t bits = ir::f16(x).bits;
  b[0] = static_cast<Byte>(bits & 255);
  b[1] = static_cast<Byte>(bits >> 8);
}

/// A number truncated to a code of at most `most`.
int code_of(float x, int most) { return std::min(most, static_cast<int>(std::max(x, 0.0f))); }

/// Low nibbles are the first half of the codes; their fifth bits, where `fifths` is not null, are apart.
void put_codes(const std::array<int, elements>& q, Byte* nibbles, Byte* fifths) {
  for (std::size_t e = 0; e < 16; ++e) nibbles[e] = static_cast<Byte>((q[e] & 15) | (q[e + 16] & 15) << 4);
  if (fifths == nullptr) return;
  std::fill_n(fifths, 4, Byte{0});
  for (std::size_t e = 0; e < elements; ++e) fifths[e / 8] = static_cast<Byte>(fifths[e / 8] | (q[e] >> 4) << e % 8);
}

/// q4_0 and q5_0: the element of largest size becomes the least code, `most` / 2 steps below 0.
void by_largest(const float* x, int most, Byte* b, Byte* nibbles, Byte* fifths) {
  const float half = static_cast<float>(most / 2 + 1), d = largest(x) / -half, id = inverse(d);
  put_half(d, b);
  std::array<int, elements> q;
  for (std::size_t e = 0; e < elements; ++e) q[e] = code_of(x[e] * id + (half + 0.5f), most);
  put_codes(q, nibbles, fifths);
}

/// q4_1 and q5_1: the least is code 0, the greatest the largest code.
void by_ends(const float* x, int most, Byte* b, Byte* nibbles, Byte* fifths) {
  const auto [low, high] = std::minmax_element(x, x + elements);
  const float least = *low, d = (*high - least) / static_cast<float>(most), id = inverse(d);
  put_half(d, b);
  put_half(least, b + 2);
  std::array<int, elements> q;
  for (std::size_t e = 0; e < elements; ++e) q[e] = id == 0 ? 0 : code_of((x[e] - least) * id + 0.5f, most);
  put_codes(q, nibbles, fifths);
}

void q8_0(const float* x, Byte* b) {
  const float d = std::fabs(largest(x)) / 127, id = inverse(d);
  put_half(d, b);
  for (int e = 0; e < elements; ++e)
    b[2 + e] = static_cast<Byte>(static_cast<std::int8_t>(std::round(x[e] * id)));  // halves away from zero
}

/// The index of the value of E2M1, twice, that is nearest to r; the lowest of equals.
int nearest(double r) {
  constexpr std::array<double, 8> sizes = {0, 1, 2, 3, 4, 6, 8, 12};
  std::size_t found = 0;
  for (std::size_t i = 1; i < sizes.size(); ++i)
    if (std::fabs(std::fabs(r) - sizes[i]) < std::fabs(std::fabs(r) - sizes[found])) found = i;
  return static_cast<int>(found) + (r < 0 && found > 0 ? 8 : 0);
}

void mxfp4(const float* x, Byte* b) {
  const auto bits = std::bit_cast<std::uint32_t>(std::fabs(largest(x)));
  const int exponent = std::clamp(static_cast<int>(bits >> 23) - 2, 0, 254), scale = bits == 0 ? 0 : exponent;
  b[0] = static_cast<Byte>(scale);
  std::array<int, elements> q;
  for (std::size_t e = 0; e < elements; ++e) q[e] = nearest(std::ldexp(static_cast<double>(x[e]), 128 - scale));
  put_codes(q, b + 1, nullptr);
}

}  // namespace

void encode_block(Format format, const float* x, std::byte* block) {
  auto* const b = reinterpret_cast<Byte*>(block);
  switch (format) {
    case Format::q4_0:
      return by_largest(x, 15, b, b + 2, nullptr);
    case Format::q5_0:
      return by_largest(x, 31, b, b + 6, b + 2);
    case Format::q4_1:
      return by_ends(x, 15, b, b + 4, nullptr);
    case Format::q5_1:
      return by_ends(x, 31, b, b + 8, b + 4);
    case Format::q8_0:
      return q8_0(x, b);
    case Format::mxfp4:
      return mxfp4(x, b);
    default:
      ir::fail("a format without an encoder");
  }
}

}  // namespace plumb::ref_cpu::packed
