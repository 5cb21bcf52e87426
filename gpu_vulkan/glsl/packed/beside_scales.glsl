// Formats whose codes lie beside their scales (ops.md A.0): the number that code i stands for, and its product with a
// power of two of OCP MX.
#ifndef PLUMB_PACKED_BESIDE_SCALES_GLSL
#define PLUMB_PACKED_BESIDE_SCALES_GLSL

#include "gpu_vulkan/glsl/packed/bytes.glsl"

float e4m3(uint code) {
  const uint magnitude = code & 127u, sign = (code & 128u) << 24;
  const float subnormal = float(magnitude) * 0.001953125;  // 2^-9, exact
  const uint normal = magnitude == 127u ? 0x7FC00000u : (magnitude << 20) + (120u << 23);
  return uintBitsToFloat(sign | (magnitude < 8u ? floatBitsToUint(subnormal) : normal));
}

/// The upper byte of an f16.
float e5m2(uint code) { return float_from_f16(code << 8); }

float code_value(uint format, uint i) {
  const uint nibble = byte_at(i >> 1) >> (i & 1u) * 4u & 15u;
  switch (format) {
    case INT8: return float(signed_byte_at(i));
    case UINT8: return float(byte_at(i));
    case INT4: return float(int(nibble ^ 8u) - 8);
    case UINT4: return float(nibble);
    case FP8_E4M3: case MXFP8_E4M3: return e4m3(byte_at(i));
    case FP8_E5M2: case MXFP8_E5M2: return e5m2(byte_at(i));
    default: return 0.5 * twice_e2m1(nibble);
  }
}

/// code 2^(exponent - 127); exponent 255 is NaN.
float mx_value(float code, uint exponent) {
  return exponent == 255u ? uintBitsToFloat(0x7FC00000u) : power_product(code, int(exponent) - 127);
}

#endif
