// Sums of products of codes as codes of a scale of their own, in variants by the dtype of scales. The includer has
// code_tiles.glsl, pushes its flags, and defines FIRST_SCALE, the binding of the first of six buffers.
#ifndef PLUMB_REQUANTIZE_GLSL
#define PLUMB_REQUANTIZE_GLSL

#include "gpu_vulkan/glsl/arithmetic.glsl"
#include "gpu_vulkan/glsl/element.glsl"
#include "gpu_vulkan/glsl/specials_kept.glsl"

layout(set = 0, binding = FIRST_SCALE) readonly buffer LeftScale { STORED left_scale[]; };
layout(set = 0, binding = FIRST_SCALE + 1) readonly buffer RightScale { STORED right_scale[]; };
layout(set = 0, binding = FIRST_SCALE + 2) readonly buffer YScale { STORED y_scale[]; };
layout(set = 0, binding = FIRST_SCALE + 3) readonly buffer YZero { uint y_zero[]; };
layout(set = 0, binding = FIRST_SCALE + 4) readonly buffer Bias { int bias[]; };
layout(set = 0, binding = FIRST_SCALE + 5) writeonly buffer Y { uint8_t y[]; };

// The whole number nearest to x, of two the even one, for |x| up to 2^23.
int nearest_even(COMPUTED x) {
  const int whole = int(x);  // towards 0
  const COMPUTED rest = abs(x - COMPUTED(whole));
  const bool is_further = rest > COMPUTED(0.5) || (rest == COMPUTED(0.5) && (whole & 1) != 0);
  return is_further ? whole + (x < COMPUTED(0) ? -1 : 1) : whole;
}

precise COMPUTED scaled(int sum, COMPUTED left, COMPUTED right) {
  const COMPUTED factor = divide(left * right, load(y_scale[0]));
  return COMPUTED(sum) * factor;
}

// saturate(round(sum (left right / y_scale)) + y_zero); NaN gives y_zero.
uint8_t requantized(int sum, COMPUTED left, COMPUTED right) {
  const bool is_signed = (flags & Y_SIGNED) != 0u;
  const int zero = code_of(y_zero[0], 0u, is_signed);
  const COMPUTED real = scaled(sum, left, right);
  const COMPUTED far = COMPUTED(1024);  // beyond all codes, whatever the zero point is
  const int whole = is_nan(real) ? zero : nearest_even(clamp(real, -far, far)) + zero;
  return uint8_t(uint(is_signed ? clamp(whole, -128, 127) : clamp(whole, 0, 255)));
}

#endif
