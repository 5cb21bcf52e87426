// Formats of 256 elements, of which 16 or 32 share a scale of few bits (ops.md A.3): element e of the block that begins
// at byte b.
#ifndef PLUMB_PACKED_SUPER_BLOCKS_GLSL
#define PLUMB_PACKED_SUPER_BLOCKS_GLSL

#include "gpu_vulkan/glsl/packed/bytes.glsl"

/// Both products are exact, so that the difference is the one thing that is rounded.
precise float less_minimum(float d, uint scale, uint q, float of_minimum, uint minimum) {
  return d * float(scale) * float(q) - of_minimum * float(minimum);
}
precise float scaled(float d, int scale, float q) { return d * float(scale) * q; }

float q2_k(uint b, uint e) {
  const uint both = byte_at(b + (e >> 4)), within = e & 127u;
  const uint q = byte_at(b + 16u + (e >> 7) * 32u + (e & 31u)) >> (within >> 5) * 2u & 3u;
  return less_minimum(half_at(b + 80u), both & 15u, q, half_at(b + 82u), both >> 4);
}

float q3_k(uint b, uint e) {
  const uint part = e >> 4, group = e >> 5, l = e & 31u;
  const uint low = byte_at(b + 96u + (part & 7u)) >> (part >> 3) * 4u & 15u;
  const uint high = byte_at(b + 104u + (part & 3u)) >> (part >> 2) * 2u & 3u;
  const uint q = byte_at(b + 32u + (e >> 7) * 32u + l) >> (group & 3u) * 2u & 3u;
  const bool is_high = (byte_at(b + l) >> group & 1u) != 0u;
  return scaled(half_at(b + 108u), int(low | high << 4) - 32, float(int(q) - (is_high ? 0 : 4)));
}

/// Scale and minimum, of six bits each, of group j of 32 elements, out of the twelve bytes at s.
uvec2 scale_and_minimum(uint s, uint j) {
  const uint low = byte_at(s + (j & 3u)), high = byte_at(s + 4u + (j & 3u));
  if (j < 4u) return uvec2(low, high) & 63u;
  const uint more = byte_at(s + 4u + j);
  return uvec2(more & 15u | low >> 6 << 4, more >> 4 | high >> 6 << 4);
}

float q4_k(uint b, uint e) {
  const uint j = e >> 5;
  const uvec2 six_bits = scale_and_minimum(b + 4u, j);
  const uint q = byte_at(b + 16u + (e >> 6) * 32u + (e & 31u)) >> (j & 1u) * 4u & 15u;
  return less_minimum(half_at(b), six_bits.x, q, half_at(b + 2u), six_bits.y);
}

float q5_k(uint b, uint e) {
  const uint j = e >> 5;
  const uvec2 six_bits = scale_and_minimum(b + 4u, j);
  const uint low = byte_at(b + 48u + (e >> 6) * 32u + (e & 31u)) >> (j & 1u) * 4u & 15u;
  const uint high = byte_at(b + 16u + (e & 31u)) >> j & 1u;
  return less_minimum(half_at(b), six_bits.x, low | high << 4, half_at(b + 2u), six_bits.y);
}

float q6_k(uint b, uint e) {
  const uint quarter = e >> 5 & 3u, l = e & 31u;
  const uint low = byte_at(b + (e >> 7) * 64u + (quarter & 1u) * 32u + l) >> (quarter >> 1) * 4u & 15u;
  const uint high = byte_at(b + 128u + (e >> 7) * 32u + l) >> quarter * 2u & 3u;
  return scaled(half_at(b + 208u), signed_byte_at(b + 192u + (e >> 4)), float(int(low | high << 4) - 32));
}

float iq4_xs(uint b, uint e) {
  const uint j = e >> 5;
  const uint low = byte_at(b + 4u + (j >> 1)) >> (j & 1u) * 4u & 15u, high = pair_at(b + 2u) >> j * 2u & 3u;
  return scaled(half_at(b), int(low | high << 4) - 32, uneven(nibble_at(b + 8u + j * 16u, e & 31u)));
}

float super_block(uint format, uint b, uint e) {
  switch (format) {
    case Q2_K: return q2_k(b, e);
    case Q3_K: return q3_k(b, e);
    case Q4_K: return q4_k(b, e);
    case Q5_K: return q5_k(b, e);
    case Q6_K: return q6_k(b, e);
    default: return iq4_xs(b, e);
  }
}

#endif
