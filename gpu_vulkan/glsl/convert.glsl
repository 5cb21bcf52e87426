// One number from dtype `from` to dtype `to`, both as bits (.x the low word), by the
// rules of the op cast: integers wrap, float to integer truncates and saturates with
// NaN as 0, floats round once to nearest even.
#ifndef PLUMB_CONVERT_GLSL
#define PLUMB_CONVERT_GLSL

#if defined(VARIANT_i64) || defined(VARIANT_i64_f64)
#define HAS_I64 1
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#endif
#if defined(VARIANT_f64) || defined(VARIANT_i64_f64)
#define HAS_F64 1
#define VARIANT_f64 1
#endif

#include "gpu_vulkan/glsl/arithmetic.glsl"
#include "gpu_vulkan/glsl/round16.glsl"

const uint BOOL = 0u, U8 = 1u, I8 = 2u, I16 = 3u, I32 = 4u, U32 = 5u, I64 = 6u, F16 = 7u, BF16 = 8u, F32 = 9u,
           F64 = 10u, C64 = 11u, U16 = 13u;  // as ir::DType

uvec2 word(uint x) { return uvec2(x, 0u); }
uvec2 word(int x) { return uvec2(x, x < 0 ? 0xFFFFFFFFu : 0u); }
uvec2 word(bool x) { return word(x ? 1u : 0u); }

/// A float that rounds as the integer does: beyond 24 bits the last stands for all that are lost.
float sticky_float(uint x) {
  const int shift = max(findMSB(x) - 23, 0);
  const uint kept = x >> shift, lost = x - (kept << shift);
  return float(kept | (lost != 0u ? 1u : 0u)) * power_of_two(shift);
}

/// The bits of the float nearest to 2^exponent (lead + behind), where the highest bit of `lead` is set and what is
/// behind it is less than 1: ties to even. Vulkan leaves the rounding of its own conversions open.
uint rounded_float_bits(uint lead, bool is_more_behind, int exponent) {
  const uint kept = lead >> 8, lost = lead << 24 | (is_more_behind ? 1u : 0u);
  const bool up = lost > 0x80000000u || (lost == 0x80000000u && (kept & 1u) != 0u);
  return (uint(exponent + 157) << 23) + kept + (up ? 1u : 0u);  // rounding up may carry into the exponent
}

uint nearest_float_bits(uint x) {
  if (x == 0u) return 0u;
  const int up = 31 - findMSB(x);
  return rounded_float_bits(x << up, false, -up);
}

#ifdef HAS_I64
uint nearest_float_bits(uint64_t x) {
  const uvec2 words = unpackUint2x32(x);
  if (words.y == 0u) return nearest_float_bits(words.x);
  const int up = 31 - findMSB(words.y);
  const uvec2 shifted = unpackUint2x32(x << up);
  return rounded_float_bits(shifted.y, shifted.x != 0u, 32 - up);
}
#endif

#if defined(HAS_I64) && defined(HAS_F64)
/// The bits of the double nearest to an integer, ties to even.
uvec2 nearest_double_bits(uint64_t x) {
  const uvec2 words = unpackUint2x32(x);
  if (words == uvec2(0u)) return words;
  const int top = words.y != 0u ? 32 + findMSB(words.y) : findMSB(words.x), lost_bits = max(top - 52, 0);
  uint64_t kept = x << max(52 - top, 0) >> lost_bits;
  const uint64_t lost = x - (kept << lost_bits), half_place = 1ul << lost_bits >> 1;
  if (lost_bits > 0 && (lost > half_place || (lost == half_place && (kept & 1ul) != 0ul))) ++kept;
  return unpackUint2x32((uint64_t(uint(top + 1022)) << 52) + kept);
}
#endif

#ifdef HAS_F64
/// The bits of x as a double, made from the bits of x: a device may read a subnormal float as 0.
uvec2 double_bits(float x) {
  const uint m = magnitude_of(x);
  if (m > infinity_bits) return unpackDouble2x32(double_nan());
  if (m == infinity_bits) return uvec2(0u, sign_of(x) | 0x7FF00000u);
  if (is_none(m)) return uvec2(0u, sign_of(x));
  int exponent;
  const uint fraction = floatBitsToUint(significand(m, exponent)) & 0x007FFFFFu;
  return uvec2(fraction << 29, sign_of(x) | uint(exponent + 1023) << 20 | fraction >> 3);
}
#endif

uvec2 from_float(float x, uint to) {
  if (to == F16) return word(f16_from_float(x));
  if (to == BF16) return word(bf16_from_float(x));
  if (to == F32 || to == C64) return word(floatBitsToUint(x));
  if (to == BOOL) return word(!is_zero(x));
#ifdef HAS_F64
  if (to == F64) return double_bits(x);
#endif
  if (is_nan(x)) return uvec2(0u);
  if (to == U8) return word(uint(clamp(x, 0.0, 255.0)));
  if (to == I8) return word(int(clamp(x, -128.0, 127.0)));
  if (to == U16) return word(uint(clamp(x, 0.0, 65535.0)));
  if (to == I16) return word(int(clamp(x, -32768.0, 32767.0)));
  if (to == U32) return word(x >= 4294967296.0 ? 0xFFFFFFFFu : uint(max(x, 0.0)));
#ifdef HAS_I64
  if (to == I64) {
    if (x >= 9223372036854775808.0) return uvec2(0xFFFFFFFFu, 0x7FFFFFFFu);
    return unpackUint2x32(uint64_t(int64_t(max(x, -9223372036854775808.0))));
  }
#endif
  return word(x >= 2147483648.0 ? 0x7FFFFFFF : int(max(x, -2147483648.0)));
}

/// Converts an integer with this magnitude and sign, whose own bits are `bits`.
uvec2 from_integer(uvec2 bits, uint magnitude, bool is_negative, uint to) {
  const uint sign = is_negative ? 0x80000000u : 0u;
  const uint rounded = nearest_float_bits(magnitude);
  if (to == F16) return word(f16_from_float(uintBitsToFloat(rounded | sign)));  // overflows beyond 24 bits
  if (to == BF16) return word(bf16_from_float(uintBitsToFloat(floatBitsToUint(sticky_float(magnitude)) | sign)));
  if (to == F32 || to == C64) return word(rounded | sign);
  if (to == BOOL) return word(magnitude != 0u);
#ifdef HAS_F64
  if (to == F64) return unpackDouble2x32(is_negative ? -double(magnitude) : double(magnitude));
#endif
  return bits;
}

#ifdef HAS_I64
uvec2 from_i64(int64_t x, uint to) {
  const uvec2 bits = unpackUint2x32(uint64_t(x));
  const uint sign = bits.y & 0x80000000u;
  const uint64_t magnitude = sign != 0u ? uint64_t(0l - x) : uint64_t(x);
  if (to == F32 || to == C64) return word(nearest_float_bits(magnitude) | sign);
  if (to == BOOL) return word(any(notEqual(bits, uvec2(0u))));
  if (to == F16)  // numbers of more than 24 bits overflow
    return word(f16_from_float(uintBitsToFloat(nearest_float_bits(magnitude) | sign)));
  if (to == BF16) {
    const uvec2 words = unpackUint2x32(magnitude);
    const int shift = findMSB(words.y) + 1;
    const uint64_t kept = magnitude >> shift;
    const uint lost = (kept << shift) != magnitude ? 1u : 0u;
    const float y = sticky_float(uint(kept) | lost) * power_of_two(shift);
    return word(bf16_from_float(uintBitsToFloat(floatBitsToUint(y) | sign)));
  }
#ifdef HAS_F64
  if (to == F64) return nearest_double_bits(magnitude) | uvec2(0u, sign);
#endif
  return bits;
}
#endif

#ifdef HAS_F64
/// The bits of a float that rounds to 16 bits as the double does: truncated, and odd
/// when anything was lost.
uint sticky_float_bits(double x) {
  const uvec2 m = magnitude_of(x);
  const int exponent = int(m.y >> 20) - 1023;
  if (exponent > 127) return sign_of(x) | (is_nan(x) ? 0x7FC00000u : infinity_bits);
  const uint fraction = (m.y & 0x000FFFFFu) << 3 | m.x >> 29, lost = (m.x & 0x1FFFFFFFu) != 0u ? 1u : 0u;
  if (exponent >= -126) return sign_of(x) | uint(exponent + 127) << 23 | fraction | lost;
  if (exponent < -149) return sign_of(x) | (m == uvec2(0u) ? 0u : 1u);
  const uint significand = fraction | 0x00800000u, shift = uint(-126 - exponent), kept = significand >> shift;
  return sign_of(x) | kept | (kept << shift != significand ? 1u : lost);
}

/// The bits of the float nearest to the double, ties to even; a device may flush subnormal ones.
uint nearest_float_bits(double x) {
  const uvec2 m = magnitude_of(x);
  const int exponent = int(m.y >> 20) - 1023;
  if (is_nan(x)) return 0x7FC00000u;
  if (exponent > 127) return sign_of(x) | infinity_bits;
  if (exponent < -150) return sign_of(x);
  const uint fraction = (m.y & 0x000FFFFFu) << 3 | m.x >> 29, rest = m.x << 3;
  if (exponent >= -126) {  // rounding up may carry into the exponent, up to infinity
    const bool up = rest > 0x80000000u || (rest == 0x80000000u && (fraction & 1u) != 0u);
    return sign_of(x) | ((uint(exponent + 127) << 23 | fraction) + (up ? 1u : 0u));
  }
  const uint significand = fraction | 0x00800000u, shift = uint(-126 - exponent), kept = significand >> shift,
             lost = significand - (kept << shift), tie = 1u << (shift - 1u);
  const bool up = lost > tie || (lost == tie && (rest != 0u || (kept & 1u) != 0u));
  return sign_of(x) | (kept + (up ? 1u : 0u));
}

uvec2 from_double(double x, uint to) {
  if (to == F64) return unpackDouble2x32(x);
  if (to == F16) return word(f16_from_float(uintBitsToFloat(sticky_float_bits(x))));
  if (to == BF16) return word(bf16_from_float(uintBitsToFloat(sticky_float_bits(x))));
  if (to == F32 || to == C64) return word(nearest_float_bits(x));
  if (to == BOOL) return word(!is_zero(x));
  if (is_nan(x)) return uvec2(0u);
  if (to == U8) return word(uint(clamp(x, 0.0lf, 255.0lf)));
  if (to == I8) return word(int(clamp(x, -128.0lf, 127.0lf)));
  if (to == U16) return word(uint(clamp(x, 0.0lf, 65535.0lf)));
  if (to == I16) return word(int(clamp(x, -32768.0lf, 32767.0lf)));
  if (to == U32) return word(uint(clamp(x, 0.0lf, 4294967295.0lf)));
#ifdef HAS_I64
  if (to == I64) {
    if (x >= 9223372036854775808.0lf) return uvec2(0xFFFFFFFFu, 0x7FFFFFFFu);
    return unpackUint2x32(uint64_t(int64_t(max(x, -9223372036854775808.0lf))));
  }
#endif
  return word(int(clamp(x, -2147483648.0lf, 2147483647.0lf)));
}
#endif

/// Converts a signed 32-bit integer.
uvec2 from_int(int x, uint to) { return from_integer(word(x), x < 0 ? 0u - uint(x) : uint(x), x < 0, to); }

uvec2 convert(uvec2 bits, uint from, uint to) {
  if (from == BOOL || from == U8 || from == U16 || from == U32) return from_integer(bits, bits.x, false, to);
  if (from == I8) return from_int(bitfieldExtract(int(bits.x), 0, 8), to);
  if (from == I16) return from_int(bitfieldExtract(int(bits.x), 0, 16), to);
  if (from == I32) return from_int(int(bits.x), to);
  if (from == F16) return from_float(float_from_f16(bits.x), to);
  if (from == BF16) return from_float(float_from_bf16(bits.x), to);
#ifdef HAS_I64
  if (from == I64) return from_i64(int64_t(packUint2x32(bits)), to);
#endif
#ifdef HAS_F64
  if (from == F64) return from_double(packDouble2x32(bits), to);
#endif
  return from_float(uintBitsToFloat(bits.x), to);
}

#endif
