// Blocks that have their scales beside the codes. Each product of a scale and codes is exact in f32; where a minimum is
// taken off, the difference is the one rounding (ops.md A.1).
#include "ref_cpu/packed/blocks.hpp"

#include <array>
#include <bit>

#include "ir/error.hpp"
#include "ir/half.hpp"

namespace plumb::ref_cpu::packed {
namespace {

using ir::kernels::packed::Format;
using Byte = std::uint8_t;

float half_at(const Byte* b) {
  return static_cast<float>(ir::f16::from_bits(static_cast<std::uint16_t>(b[0] | b[1] << 8)));
}

std::uint32_t word_at(const Byte* b) {
  return b[0] | std::uint32_t{b[1]} << 8 | std::uint32_t{b[2]} << 16 | std::uint32_t{b[3]} << 24;
}

/// The values of codes of four bits in iq4_nl and iq4_xs, and twice those of E2M1.
constexpr std::array<float, 16> unevenly = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
constexpr std::array<float, 16> twice_e2m1 = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

/// Calls write(e, code) with the 32 codes of 16 bytes: low nibbles first, then high ones.
template <class Write>
void nibbles(const Byte* codes, const Write& write) {
  for (int e = 0; e < 16; ++e) {
    write(e, codes[e] & 15);
    write(e + 16, codes[e] >> 4);
  }
}

void q4_0(const Byte* b, float* y) {
  const float d = half_at(b);
  nibbles(b + 2, [=](int e, int q) { y[e] = d * static_cast<float>(q - 8); });
}

void q4_1(const Byte* b, float* y) {
  const float d = half_at(b), least = half_at(b + 2);
  nibbles(b + 4, [=](int e, int q) { y[e] = d * static_cast<float>(q) + least; });
}

/// The fifth bit of code e, where it belongs.
int fifth(std::uint32_t high, int e) { return static_cast<int>(high >> e & 1u) << 4; }

void q5_0(const Byte* b, float* y) {
  const float d = half_at(b);
  const std::uint32_t high = word_at(b + 2);
  nibbles(b + 6, [=](int e, int q) { y[e] = d * static_cast<float>((q | fifth(high, e)) - 16); });
}

void q5_1(const Byte* b, float* y) {
  const float d = half_at(b), least = half_at(b + 2);
  const std::uint32_t high = word_at(b + 4);
  nibbles(b + 8, [=](int e, int q) { y[e] = d * static_cast<float>(q | fifth(high, e)) + least; });
}

void q8_0(const Byte* b, float* y) {
  const float d = half_at(b);
  for (int e = 0; e < 32; ++e) y[e] = d * static_cast<float>(static_cast<std::int8_t>(b[2 + e]));
}

void iq4_nl(const Byte* b, float* y) {
  const float d = half_at(b);
  nibbles(b + 2, [=](int e, int q) { y[e] = d * unevenly[static_cast<std::size_t>(q)]; });
}

/// 2^(b - 128), of which 2^-128 and 2^-127 are subnormal.
float half_power(Byte b) { return std::bit_cast<float>(b < 2 ? std::uint32_t{0x00200000} << b : (b - 1u) << 23); }

void mxfp4(const Byte* b, float* y) {
  const float d = half_power(b[0]);
  nibbles(b + 1, [=](int e, int q) { y[e] = d * twice_e2m1[static_cast<std::size_t>(q)]; });
}

void q2_k(const Byte* b, float* y) {
  const float d = half_at(b + 80), of_minimum = half_at(b + 82);
  for (int part = 0; part < 16; ++part) {  // sixteen elements that share a scale
    const float scale = d * static_cast<float>(b[part] & 15), minimum = of_minimum * static_cast<float>(b[part] >> 4);
    const Byte* const codes = b + 16 + part / 8 * 32 + part % 2 * 16;
    const int shift = part % 8 / 2 * 2;
    for (int l = 0; l < 16; ++l) y[16 * part + l] = scale * static_cast<float>(codes[l] >> shift & 3) - minimum;
  }
}

/// The scale of sixteen elements in q3_k, of six bits, four of which are in a nibble.
int q3_k_scale(const Byte* scales, int part) {
  const int low = part < 8 ? scales[part] & 15 : scales[part - 8] >> 4;
  return (low | (scales[8 + part % 4] >> part / 4 * 2 & 3) << 4) - 32;
}

void q3_k(const Byte* b, float* y) {
  const float d = half_at(b + 108);
  for (int part = 0; part < 16; ++part) {
    const float scale = d * static_cast<float>(q3_k_scale(b + 96, part));
    const int within = part % 2 * 16, group = part / 2, shift = group % 4 * 2;
    const Byte *const codes = b + 32 + part / 8 * 32 + within, *const high = b + within;
    for (int l = 0; l < 16; ++l)
      y[16 * part + l] = scale * static_cast<float>((codes[l] >> shift & 3) - ((high[l] >> group & 1) != 0 ? 0 : 4));
  }
}

/// Scale and minimum of 32 elements in q4_k and q5_k, of six bits each.
struct Pair {
  int scale, minimum;
};
Pair pair_of(const Byte* s, int group) {
  if (group < 4) return {s[group] & 63, s[group + 4] & 63};
  return {(s[group + 4] & 15) | s[group - 4] >> 6 << 4, s[group + 4] >> 4 | s[group] >> 6 << 4};
}

void q4_k(const Byte* b, float* y) {
  const float d = half_at(b), of_minimum = half_at(b + 2);
  for (int group = 0; group < 8; ++group) {
    const Pair pair = pair_of(b + 4, group);
    const float scale = d * static_cast<float>(pair.scale), minimum = of_minimum * static_cast<float>(pair.minimum);
    const Byte* const codes = b + 16 + group / 2 * 32;
    const int shift = group % 2 * 4;
    for (int l = 0; l < 32; ++l) y[32 * group + l] = scale * static_cast<float>(codes[l] >> shift & 15) - minimum;
  }
}

void q5_k(const Byte* b, float* y) {
  const float d = half_at(b), of_minimum = half_at(b + 2);
  for (int group = 0; group < 8; ++group) {
    const Pair pair = pair_of(b + 4, group);
    const float scale = d * static_cast<float>(pair.scale), minimum = of_minimum * static_cast<float>(pair.minimum);
    const Byte *const codes = b + 48 + group / 2 * 32, *const high = b + 16;
    const int shift = group % 2 * 4;
    for (int l = 0; l < 32; ++l) {
      const int q = (codes[l] >> shift & 15) | (high[l] >> group & 1) << 4;
      y[32 * group + l] = scale * static_cast<float>(q) - minimum;
    }
  }
}

void q6_k(const Byte* b, float* y) {
  const float d = half_at(b + 208);
  for (int part = 0; part < 16; ++part) {
    const float scale = d * static_cast<float>(static_cast<std::int8_t>(b[192 + part]));
    const int within = part % 2 * 16, quarter = part % 8 / 2;  // quarters of 128 elements share bytes
    const Byte *const low = b + part / 8 * 64 + quarter % 2 * 32 + within, *const high =
                                                                               b + 128 + part / 8 * 32 + within;
    const int shift = quarter / 2 * 4;
    for (int l = 0; l < 16; ++l) {
      const int q = (low[l] >> shift & 15) | (high[l] >> 2 * quarter & 3) << 4;
      y[16 * part + l] = scale * static_cast<float>(q - 32);
    }
  }
}

void iq4_xs(const Byte* b, float* y) {
  const float d = half_at(b);
  for (int group = 0; group < 8; ++group) {
    const int low = b[4 + group / 2] >> group % 2 * 4 & 15, high = (b[2] | b[3] << 8) >> 2 * group & 3;
    const float scale = d * static_cast<float>((low | high << 4) - 32);
    float* const values = y + 32 * group;
    nibbles(b + 8 + 16 * group, [=](int e, int q) { values[e] = scale * unevenly[static_cast<std::size_t>(q)]; });
  }
}

using Decoder = void (*)(const Byte* block, float* values);

/// In the order of the formats; those behind these have no scales in their blocks.
constexpr std::array<Decoder, 13> decoders = {q4_0, q4_1, q5_0, q5_1, q8_0, iq4_nl, mxfp4,
                                              q2_k, q3_k, q4_k, q5_k, q6_k, iq4_xs};

}  // namespace

void decode_blocks(Format format, const std::byte* blocks, std::int64_t count, float* values) {
  const Decoder decode = decoders.at(static_cast<std::size_t>(format));
  const ir::kernels::packed::Layout block = ir::kernels::packed::layout(format);
  const auto* from = reinterpret_cast<const Byte*>(blocks);
  for (std::int64_t i = 0; i < count; ++i) decode(from + i * block.bytes, values + i * block.elements);
}

}  // namespace plumb::ref_cpu::packed
