// Sums of products of codes as codes of a scale of their own. Scales of 16 bits are read by words and computed with in
// f32, so that f32 and f64 are the only variants. The includer has code_tiles.glsl, pushes its flags, and defines
// FIRST_SCALE, the binding of the first of six buffers.
#ifndef PLUMB_REQUANTIZE_GLSL
#define PLUMB_REQUANTIZE_GLSL

#extension GL_EXT_shader_8bit_storage : require
#include "gpu_vulkan/glsl/arithmetic.glsl"
#include "gpu_vulkan/glsl/round16.glsl"
#include "gpu_vulkan/glsl/specials_kept.glsl"

#ifdef VARIANT_f64
#define REAL double
#define SCALE double
uint place_of_scale(uint i) { return i; }
double scale_of(double stored, uint i) { return stored; }
#else
#define REAL float
#define SCALE uint
// The word that scale i is in, and the scale in it.
uint place_of_scale(uint i) { return (flags & (SCALES_F16 | SCALES_BF16)) != 0u ? i >> 1 : i; }
float scale_of(uint word, uint i) {
  const uint bits = bitfieldExtract(word, int(i & 1u) * 16, 16);
  if ((flags & SCALES_F16) != 0u) return float_from_f16(bits);
  return (flags & SCALES_BF16) != 0u ? float_from_bf16(bits) : uintBitsToFloat(word);
}
#endif

layout(set = 0, binding = FIRST_SCALE) readonly buffer LeftScale { SCALE left_scale[]; };
layout(set = 0, binding = FIRST_SCALE + 1) readonly buffer RightScale { SCALE right_scale[]; };
layout(set = 0, binding = FIRST_SCALE + 2) readonly buffer YScale { SCALE y_scale[]; };
layout(set = 0, binding = FIRST_SCALE + 3) readonly buffer YZero { uint y_zero[]; };
layout(set = 0, binding = FIRST_SCALE + 4) readonly buffer Bias { int bias[]; };
layout(set = 0, binding = FIRST_SCALE + 5) writeonly buffer Y { uint8_t y[]; };

// The whole number nearest to x, of two the even one, for |x| up to 2^23.
int nearest_even(REAL x) {
  const int whole = int(x);  // towards 0
  const REAL rest = abs(x - REAL(whole));
  const bool is_further = rest > REAL(0.5) || (rest == REAL(0.5) && (whole & 1) != 0);
  return is_further ? whole + (x < REAL(0) ? -1 : 1) : whole;
}

precise REAL scaled(int sum, REAL left, REAL right) {
  const REAL factor = divide(left * right, scale_of(y_scale[0], 0u));
  return REAL(sum) * factor;
}

// saturate(round(sum (left right / y_scale)) + y_zero) by scales of these numbers, the code in the low byte; NaN gives
// y_zero.
uint requantized(int sum, uint left, uint right) {
  const bool is_signed = (flags & Y_SIGNED) != 0u;
  const int zero = code_of(y_zero[0], 0u, is_signed);
  const REAL real = scaled(sum, scale_of(left_scale[place_of_scale(left)], left),
                           scale_of(right_scale[place_of_scale(right)], right));
  const REAL far = REAL(1024);  // beyond all codes, whatever the zero point is
  const int whole = is_nan(real) ? zero : nearest_even(clamp(real, -far, far)) + zero;
  return uint(is_signed ? clamp(whole, -128, 127) : clamp(whole, 0, 255));
}

#endif
