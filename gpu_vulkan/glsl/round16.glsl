// 16-bit floats as bit patterns, rounded to nearest even whatever the device's
// own conversion does (Vulkan leaves its rounding open).
#ifndef PLUMB_ROUND16_GLSL
#define PLUMB_ROUND16_GLSL

uint f16_from_float(float x) {
  const uint bits = floatBitsToUint(x), sign = bits >> 16 & 0x8000u;
  uint magnitude = bits & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u) return sign | 0x7E00u;   // NaN
  if (magnitude >= 0x477FF000u) return sign | 0x7C00u;  // 65520 and above
  if (magnitude >= 0x38800000u) {                       // normal: 2^-14 and above
    magnitude += 0x0FFFu + (magnitude >> 13 & 1u);
    return sign | (magnitude - 0x38000000u) >> 13;
  }
  const uint exponent = magnitude >> 23;
  if (exponent < 102u) return sign;  // below 2^-25, half the smallest subnormal
  const uint significand = magnitude & 0x007FFFFFu | 0x00800000u, shift = 126u - exponent;
  const uint rest = significand & (1u << shift) - 1u, tie = 1u << shift - 1u;
  uint rounded = significand >> shift;
  if (rest > tie || (rest == tie && (rounded & 1u) != 0u)) ++rounded;
  return sign | rounded;
}

float float_from_f16(uint bits) {
  const uint sign = (bits & 0x8000u) << 16, exponent = bits >> 10 & 0x1Fu, fraction = bits & 0x3FFu;
  if (exponent == 0u) {
    const float magnitude = float(fraction) * 5.9604644775390625e-8;  // 2^-24, exact
    return uintBitsToFloat(floatBitsToUint(magnitude) | sign);
  }
  return uintBitsToFloat(sign | (exponent == 31u ? 255u : exponent + 112u) << 23 | fraction << 13);
}

uint bf16_from_float(float x) {
  const uint bits = floatBitsToUint(x);
  if ((bits & 0x7FFFFFFFu) > 0x7F800000u) return bits >> 16 & 0x8000u | 0x7FC0u;
  return bits + 0x7FFFu + (bits >> 16 & 1u) >> 16;
}

float float_from_bf16(uint bits) { return uintBitsToFloat(bits << 16); }

#endif
