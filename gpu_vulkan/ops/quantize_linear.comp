#version 450
// variants: w32 f64
// Codes of quotients x / scale, rounded to nearest, ties to even. In f64 a quotient is cut to a float whose last bit
// stands for all that are lost: it decides as the quotient does.
#extension GL_GOOGLE_include_directive : require
#define RESULT 3
#include "gpu_vulkan/kernels/elementwise/scaled.glsl"

layout(constant_id = 14) const bool saturates = true;
layout(constant_id = 15) const uint least = 0;  // codes, two's complement
layout(constant_id = 16) const uint most = 0;

float quotient_of(uvec2 bits, uint place) {
#ifdef HAS_F64
  return uintBitsToFloat(sticky_float_bits(divide(packDouble2x32(bits), scales[place])));
#else
  const float x = from == F16    ? float_from_f16(bits.x)
                  : from == BF16 ? float_from_bf16(bits.x)
                                 : uintBitsToFloat(bits.x);
  return divide(x, uintBitsToFloat(scales[place]));
#endif
}

uint float_code(float x) {
  if (is_nan(x)) return nan_code;
  const uint sign = sign_of(x) != 0u ? sign_bit : 0u, past = saturates ? largest : beyond;
  if (is_infinite(x)) return sign | past;
  if (is_zero(x)) return sign;
  int exponent;
  const float m = significand_of(x, exponent);
  const int at = max(exponent, int(least_exponent));
  const int steps = int(roundEven(scale(m, max(exponent - at, -64) + int(fraction_bits))));
  // Normal numbers have 2^fraction_bits steps or more, which is the exponent's own bit.
  const uint code = (uint(at - int(least_exponent)) << fraction_bits) + uint(steps);
  return sign | (code > largest ? past : code);
}

uvec2 made_of(uint i, uvec2 bits) {
  const uint place = scale_place(i);
  const float quotient = quotient_of(bits, place);
  if (float_codes) return uvec2(float_code(quotient), 0u);
  // Wider than any two codes are apart, so that the sum is exact before it saturates.
  const int whole = is_nan(quotient) ? 0 : int(clamp(roundEven(quotient), -1048576.0, 1048576.0));
  return uvec2(uint(clamp(whole + zero_at(place), int(least), int(most))), 0u);
}
