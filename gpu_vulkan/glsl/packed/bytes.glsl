// Bytes of packed codes out of words: the includer declares codes[], all of them as words. Formats have the numbers of
// ir::kernels::packed::Format.
#ifndef PLUMB_PACKED_BYTES_GLSL
#define PLUMB_PACKED_BYTES_GLSL

#include "gpu_vulkan/glsl/round16.glsl"

const uint Q4_0 = 0u, Q4_1 = 1u, Q5_0 = 2u, Q5_1 = 3u, Q8_0 = 4u, IQ4_NL = 5u, MXFP4 = 6u, Q2_K = 7u, Q3_K = 8u,
           Q4_K = 9u, Q5_K = 10u, Q6_K = 11u, IQ4_XS = 12u, INT8 = 13u, UINT8 = 14u, INT4 = 15u, UINT4 = 16u,
           FP8_E4M3 = 17u, FP8_E5M2 = 18u, MXFP8_E4M3 = 19u, MXFP8_E5M2 = 20u, MXFP4_OCP = 21u;

uint byte_at(uint i) { return bitfieldExtract(codes[i >> 2], int(i & 3u) * 8, 8); }
int signed_byte_at(uint i) { return bitfieldExtract(int(codes[i >> 2]), int(i & 3u) * 8, 8); }

/// Two and four bytes, the lowest first; i is even.
uint pair_at(uint i) { return bitfieldExtract(codes[i >> 2], int(i & 2u) * 8, 16); }
uint word_at(uint i) { return pair_at(i) | pair_at(i + 2u) << 16; }

/// The f16 at an even byte. A subnormal one is a normal f32.
float half_at(uint i) { return float_from_f16(pair_at(i)); }

/// Code e of 32 in 16 bytes: low nibbles first, then high ones.
uint nibble_at(uint first, uint e) { return byte_at(first + (e & 15u)) >> (e >> 4) * 4u & 15u; }

/// Bytes with a sign, the lowest first: what the codes of iq4_nl and iq4_xs stand for.
const uvec4 uneven_values = uvec4(0xBFAD9881u, 0xF6EADDCFu, 0x26190D01u, 0x71594535u);
float uneven(uint code) { return float(bitfieldExtract(int(uneven_values[code >> 2]), int(code & 3u) * 8, 8)); }

/// Twice the value of an E2M1 code.
float twice_e2m1(uint code) {
  const uint m = code & 7u;
  const float size = float(m < 4u ? m : (m & 1u) + 2u << (m >> 1) - 1u);
  return code < 8u ? size : -size;
}

/// x 2^n for a normal x or 0, of few significant bits, infinity and NaN: exact, by integers, since a device may flush a
/// subnormal product; beyond the range it is infinite.
float power_product(float x, int n) {
  const uint bits = floatBitsToUint(x), magnitude = bits & 0x7FFFFFFFu, sign = bits & 0x80000000u;
  if (magnitude < 0x00800000u || magnitude >= 0x7F800000u) return x;
  const int field = int(magnitude >> 23) + n;
  if (field >= 255) return uintBitsToFloat(sign | 0x7F800000u);
  if (field > 0) return uintBitsToFloat(sign | magnitude + uint(n << 23));
  return uintBitsToFloat(sign | (magnitude & 0x007FFFFFu | 0x00800000u) >> 1 - field);
}

#endif
