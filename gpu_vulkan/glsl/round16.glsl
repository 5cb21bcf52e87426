// 16-bit floats as bit patterns, rounded to nearest even whatever the device's
// own conversion does (Vulkan leaves its rounding open).
#ifndef PLUMB_ROUND16_GLSL
#define PLUMB_ROUND16_GLSL

// Without branches: a cast reads and writes so little that its arithmetic is what it waits for.
uint f16_from_float(float x) {
  const uint bits = floatBitsToUint(x), magnitude = bits & 0x7FFFFFFFu;
  // Below 2^-14 the spacing is 2^-24, as that of f32 is from 1/2 to 1: the addition rounds.
  precise const float shifted = uintBitsToFloat(magnitude) + 0.5;
  const uint subnormal = floatBitsToUint(shifted) - 0x3F000000u;
  const uint normal = magnitude + (magnitude >> 13 & 1u) + 0x0FFFu - 0x38000000u >> 13;
  const uint finite = magnitude < 0x38800000u ? subnormal : min(normal, 0x7C00u);  // infinite from 65520 on
  return (magnitude > 0x7F800000u ? 0x7E00u : finite) | bits >> 16 & 0x8000u;
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

// Eight neighbours, each in the low half of a word, as they lie in memory.
uvec4 joined_halves(uint x[8]) {
  return uvec4(x[0] | x[1] << 16, x[2] | x[3] << 16, x[4] | x[5] << 16, x[6] | x[7] << 16);
}

#endif
