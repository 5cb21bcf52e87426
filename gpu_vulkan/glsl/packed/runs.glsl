// A share of a row of packed weights, 32 or 64 of them: fetched by words and decoded four at a time in registers.
// The includer declares what weight.glsl asks for, `last_word`, the last of codes[], and the same bytes as quads[].
#ifndef PLUMB_PACKED_RUNS_GLSL
#define PLUMB_PACKED_RUNS_GLSL

#extension GL_EXT_control_flow_attributes : require
#include "gpu_vulkan/glsl/packed/weight.glsl"

const bool is_affine = format >= INT8 && format <= UINT4;
/// Lanes take 16 neighbours of each 32, four times; else neighbours alone.
const bool is_scattered = format == Q2_K || format == Q3_K || format == Q6_K;
const bool is_nibbles_of_64 = format == Q4_K || format == Q5_K;
const uint share = is_scattered || is_nibbles_of_64 ? 64u : 32u;

/// Words of a share as they lie in memory.
struct Words {
  uint at[20];
};

/// Codes of a share, and the factors of as many groups of weights as it has.
struct Run {
  uint low[8], high[8];
  vec4 scale, least;
};

/// The element at which four weights of a share begin.
uint position_of(uint number, uint four) {
  if (!is_scattered) return number * share + four * 4u;
  return (number >> 1) * 128u + (number & 1u) * 16u + (four >> 2) * 32u + (four & 3u) * 4u;
}

/// The first byte of a share's block, and which of its parts the share is.
uint block_of(uint row, uint number) {
  if (is_scattered || is_nibbles_of_64) return row + (number >> 2) * block_bytes;
  return row + (format == IQ4_XS ? number >> 3 : number) * block_bytes;
}

/// Only the last can lie behind all blocks, where none of its bytes count.
void load_words(inout Words words, uint to, uint byte_number, uint count) {
  const uint word = byte_number >> 2;
  [[unroll]] for (uint i = 0u; i + 1u < count; ++i) words.at[to + i] = codes[word + i];
  words.at[to + count - 1u] = codes[min(word + count - 1u, last_word)];
}
void load_quad(inout Words words, uint to, uint at) {
  const uvec4 quad = quads[at];
  [[unroll]] for (uint i = 0u; i < 4u; ++i) words.at[to + i] = quad[i];
}

void load_nibbles_of_64(inout Words words, uint b, uint number) {
  const uint pair = number & 3u, block = b >> 4, at = block + block_bytes / 16u - 8u + pair * 2u;
  load_quad(words, 0u, block);
  load_quad(words, 4u, at);
  load_quad(words, 8u, at + 1u);
  if (format == Q5_K) {
    load_quad(words, 12u, block + 1u);
    load_quad(words, 16u, block + 2u);
  }
}

void load_scattered(inout Words words, uint b, uint number) {
  const uint half_block = number >> 1 & 1u, side = (number & 1u) * 16u;
  if (format == Q6_K) {
    load_words(words, 0u, b + half_block * 64u + side, 5u);
    load_words(words, 5u, b + half_block * 64u + 32u + side, 5u);
    load_words(words, 10u, b + 128u + half_block * 32u + side, 5u);
    load_words(words, 15u, b + 192u + half_block * 8u, 3u);
    load_words(words, 18u, b + 208u, 1u);
  } else if (format == Q3_K) {
    load_words(words, 0u, b + 32u + half_block * 32u + side, 5u);
    load_words(words, 5u, b + side, 5u);
    load_words(words, 10u, b + 96u, 4u);
    load_words(words, 14u, b + 108u, 1u);
  } else {
    load_words(words, 0u, b + 16u + half_block * 32u + side, 4u);
    load_words(words, 4u, b + half_block * 8u, 2u);
    load_words(words, 6u, b + 80u, 1u);
  }
}

/// Share `number` of the row that begins at byte `row`, and whose real scales begin at `first_group`.
Words load_share(uint row, uint number, uint first_group) {
  Words words;
  const uint b = block_of(row, number);
  if (is_nibbles_of_64) load_nibbles_of_64(words, b, number);
  if (is_scattered) load_scattered(words, b, number);
  if (format == Q8_0) load_words(words, 0u, b, 9u);
  if (format == Q4_0 || format == IQ4_NL) load_words(words, 0u, b, 5u);
  if (format == Q5_0 || format == Q5_1) load_words(words, 0u, b, 6u);
  if (format == Q4_1) load_words(words, 0u, b, 5u);
  if (format == MXFP4) {
    load_words(words, 0u, b, 1u);
    load_words(words, 1u, b + 1u, 5u);
  }
  if (format == IQ4_XS) {
    load_words(words, 0u, b, 2u);
    load_words(words, 2u, b + 8u + (number & 7u) * 16u, 4u);
  }
  if (is_affine) {
    load_words(words, 0u, row + number * (format <= UINT8 ? 32u : 16u), format <= UINT8 ? 8u : 4u);
    const uint group = first_group + divide(number * 32u, by_block);
    words.at[8] = floatBitsToUint(scale_at(group));
    if (has_zero_points) words.at[9] = floatBitsToUint(zero_point_at(group));
  }
  return words;
}

/// Word `i` of those at an even byte of the block, where it begins in the upper half of a word or not.
uint even_word(Words words, uint i, bool is_upper) {
  if (block_bytes % 4u == 0u) return words.at[i];
  return is_upper ? words.at[i] >> 16 | words.at[i + 1u] << 16 : words.at[i];
}

float half_of(uint word, bool is_upper) { return float_from_f16(is_upper ? word >> 16 : word & 0xFFFFu); }

/// Scales and minima of two groups of 32, of the twelve bytes of six-bit numbers behind two halves.
void unpack_nibbles_of_64(inout Run run, Words words, uint pair) {
  [[unroll]] for (uint i = 0u; i < 8u; ++i) {
    run.low[i] = words.at[4u + i];
    if (format == Q5_K) run.high[i] = words.at[12u + i] >> pair * 2u;
  }
  const uvec3 sixes = uvec3(words.at[1], words.at[2], words.at[3]) >> (pair & 1u) * 16u;
  const bool is_first = pair < 2u;
  const uint scales_of_two = is_first ? sixes.x & 0x3F3Fu : sixes.z & 0x0F0Fu | sixes.x >> 2 & 0x3030u;
  const uint minima = is_first ? sixes.y & 0x3F3Fu : sixes.z >> 4 & 0x0F0Fu | sixes.y >> 2 & 0x3030u;
  run.scale.xy = half_of(words.at[0], false) * vec2(scales_of_two & 0xFFu, scales_of_two >> 8);
  run.least.xy = half_of(words.at[0], true) * vec2(minima & 0xFFu, minima >> 8);
}

void unpack_scattered(inout Run run, Words words, uint number, bool is_upper) {
  const uint half_block = number >> 1 & 1u, right = (number & 1u) * 8u;
  [[unroll]] for (uint i = 0u; i < 4u; ++i) {
    run.low[i] = even_word(words, i, is_upper);
    if (format == Q6_K) run.low[4u + i] = even_word(words, 5u + i, is_upper);
    if (format == Q6_K) run.high[i] = even_word(words, 10u + i, is_upper);
    if (format == Q3_K) run.high[i] = even_word(words, 5u + i, is_upper) >> half_block * 4u;
  }
  if (format == Q6_K) {
    const ivec2 eights = ivec2(uvec2(even_word(words, 15u, is_upper), even_word(words, 16u, is_upper)) >> right);
    run.scale =
        half_of(words.at[18], is_upper) * vec4(bitfieldExtract(eights, 0, 8), bitfieldExtract(eights, 16, 8)).xzyw;
  } else if (format == Q3_K) {
    const uint by = right + half_block * 4u, high = even_word(words, 12u, is_upper) >> by;
    const uvec2 low = uvec2(even_word(words, 10u, is_upper), even_word(words, 11u, is_upper)) >> by;
    const uvec4 lows = uvec4(low & 15u, low >> 16 & 15u).xzyw;
    const uvec4 highs = uvec4(high, high >> 16, high >> 2, high >> 18) & 3u;
    run.scale = half_of(words.at[14], is_upper) * (vec4(lows | highs << 4) - 32.0);
  } else {
    const uvec2 both = uvec2(words.at[4], words.at[5]) >> right;
    run.scale = half_of(words.at[6], false) * vec4(both & 15u, both >> 16 & 15u).xzyw;
    run.least = half_of(words.at[6], true) * vec4(both >> 4 & 15u, both >> 20 & 15u).xzyw;
  }
}

/// Codes behind an f16, and before them the fifth bits of q5_0.
void unpack_behind_half(inout Run run, Words words, bool is_upper) {
  run.scale.x = half_of(words.at[0], is_upper);
  const uint count = format == Q8_0 ? 8u : format == Q5_0 ? 5u : 4u;
  [[unroll]] for (uint i = 0u; i < count; ++i)
    run.low[i] = is_upper ? words.at[i + 1u] : words.at[i] >> 16 | words.at[i + 1u] << 16;
}

void unpack_mxfp4(inout Run run, Words words, uint b) {
  const uint right = (b + 1u & 3u) * 8u;
  const int exponent = int(words.at[0] >> (b & 3u) * 8u & 255u) - 128;
  // Two factors, as one may be too large, or subnormal.
  run.scale.x = uintBitsToFloat(uint((exponent >> 1) + 127) << 23);
  run.scale.y = uintBitsToFloat(uint(exponent - (exponent >> 1) + 127) << 23);
  [[unroll]] for (uint i = 0u; i < 4u; ++i)
    run.low[i] = words.at[i + 1u] >> right | words.at[i + 2u] << 1 << 31u - right;
}

void unpack_iq4_xs(inout Run run, Words words, uint j) {
  const uint low = words.at[1] >> j * 4u & 15u, high = words.at[0] >> 16 + j * 2u & 3u;
  run.scale.x = half_of(words.at[0], false) * float(int(low | high << 4) - 32);
}

Run unpacked(Words words, uint row, uint number) {
  Run run;
  const uint b = block_of(row, number);
  const bool is_upper = (b & 2u) != 0u;
  if (is_nibbles_of_64) unpack_nibbles_of_64(run, words, number & 3u);
  if (is_scattered) unpack_scattered(run, words, number, is_upper);
  if (format == Q8_0 || format == Q4_0 || format == IQ4_NL || format == Q5_0) unpack_behind_half(run, words, is_upper);
  if (format == MXFP4) unpack_mxfp4(run, words, b);
  if (format == Q4_1 || format == Q5_1) {
    run.scale.x = half_of(words.at[0], false);
    run.least.x = -half_of(words.at[0], true);
    if (format == Q5_1) run.high[0] = words.at[1];
  }
  if (format == IQ4_XS) unpack_iq4_xs(run, words, number & 7u);
  const uint first = format == Q4_1 ? 1u : format == Q5_1 || format == IQ4_XS ? 2u : 0u;
  if (format == Q4_1 || format == Q5_1 || format == IQ4_XS || is_affine)
    [[unroll]] for (uint i = 0u; i < 8u; ++i) run.low[i] = words.at[first + i];
  if (is_affine) {
    run.scale.x = uintBitsToFloat(words.at[8]);
    run.least.x = uintBitsToFloat(words.at[9]);
  }
  return run;
}

/// Bytes less `offset`, each second one 256 times: behind the bits of 2^23 they are floats without a conversion, of
/// which a device makes few at a time; the difference is exact.
vec4 bytes_less(uint word, float offset) {
  const uvec2 halves = uvec2(word, word >> 16);
  const uvec4 apart = uvec4(halves.x & 0xFFu, halves.x & 0xFF00u, halves.y & 0xFFu, halves.y & 0xFF00u) | 0x4B000000u;
  return uintBitsToFloat(apart) - (8388608.0 + offset * vec4(1.0, 256.0, 1.0, 256.0));
}
/// Beside those: an exact product with a power of two.
vec4 for_bytes(float scale) { return vec4(scale, scale * 0.00390625, scale, scale * 0.00390625); }

/// Bits 0 to 3 as bytes of 0 and 1.
uint spread_bits(uint bits) { return (bits & 15u) * 0x00204081u & 0x01010101u; }
/// Four nibbles that lie beside each other as bytes.
uint spread_nibbles(uint pairs) {
  const uint apart = (pairs | pairs << 8) & 0x00FF00FFu;
  return (apart | apart << 4) & 0x0F0F0F0Fu;
}

/// Four codes as bytes, low nibbles first and high ones `half_share` fours behind them.
uint four_nibbles(Run run, uint four, uint half_share) {
  return (four < half_share ? run.low[four] : run.low[four - half_share] >> 4) & 0x0F0F0F0Fu;
}

uint four_codes(Run run, uint four) {
  const uint part = four >> 2, t = four & 3u;
  switch (format) {
    case Q4_K: return four_nibbles(run, four, 8u);
    case Q5_K: return four_nibbles(run, four, 8u) | (run.high[four & 7u] >> (four >> 3) & 0x01010101u) << 4;
    case Q6_K:
      return run.low[(part & 1u) * 4u + t] >> (part >> 1) * 4u & 0x0F0F0F0Fu |
             (run.high[t] >> part * 2u & 0x03030303u) << 4;
    case Q2_K: return run.low[t] >> part * 2u & 0x03030303u;
    case Q3_K: return run.low[t] >> part * 2u & 0x03030303u | (run.high[t] >> part & 0x01010101u) << 2;
    case Q5_0: {
      const uint behind = run.low[(four & 3u) + 1u];
      return (four < 4u ? behind : behind >> 4) & 0x0F0F0F0Fu | spread_bits(run.low[0] >> four * 4u) << 4;
    }
    case Q5_1: return four_nibbles(run, four, 4u) | spread_bits(run.high[0] >> four * 4u) << 4;
    case Q8_0: case INT8: case UINT8: return run.low[four];
    case INT4: case UINT4: return spread_nibbles(run.low[four >> 1] >> (four & 1u) * 16u & 0xFFFFu);
    default: return four_nibbles(run, four, 4u);
  }
}

/// Numbers that 16 codes stand for: a code finds its own in shared memory.
const bool has_table = format == IQ4_NL || format == IQ4_XS || format == MXFP4;
shared float numbers_of_codes[16];
void fill_table() {
  if (!has_table) return;
  for (uint code = gl_LocalInvocationID.x; code < 16u; code += gl_WorkGroupSize.x)
    numbers_of_codes[code] = format == MXFP4 ? twice_e2m1(code) : uneven(code);
  barrier();
}
vec4 looked_up(uint word) {
  return vec4(numbers_of_codes[word & 15u], numbers_of_codes[word >> 8 & 15u], numbers_of_codes[word >> 16 & 15u],
              numbers_of_codes[word >> 24]);
}

/// Four weights, as f32. All products with a scale of few bits are exact, and so a fma is of two roundings too.
vec4 four_weights(Run run, uint four) {
  const uint word = four_codes(run, four);
  const float scale = is_scattered ? run.scale[four >> 2] : is_nibbles_of_64 ? run.scale[four >> 3] : run.scale.x;
  switch (format) {
    case Q4_K: case Q5_K: return fma(for_bytes(scale), bytes_less(word, 0.0), vec4(-run.least[four >> 3]));
    case Q2_K: return fma(for_bytes(scale), bytes_less(word, 0.0), vec4(-run.least[four >> 2]));
    case Q4_1: case Q5_1: return fma(for_bytes(scale), bytes_less(word, 0.0), vec4(-run.least.x));
    case Q6_K: return for_bytes(scale) * bytes_less(word, 32.0);
    case Q3_K: return for_bytes(scale) * bytes_less(word, 4.0);
    case Q4_0: return for_bytes(scale) * bytes_less(word, 8.0);
    case Q5_0: return for_bytes(scale) * bytes_less(word, 16.0);
    case Q8_0: return for_bytes(scale) * bytes_less(word ^ 0x80808080u, 128.0);
    case MXFP4: return looked_up(word) * scale * run.scale.y;
    case IQ4_NL: case IQ4_XS: return scale * looked_up(word);
    default: break;
  }
  const vec4 less = format == INT8 ? bytes_less(word ^ 0x80808080u, 128.0)
                  : format == INT4 ? bytes_less(word ^ 0x08080808u, 8.0) : bytes_less(word, 0.0);
  const vec4 number = less * for_bytes(1.0);
  return has_zero_points ? (number - run.least.x) * scale : number * scale;
}

#endif
