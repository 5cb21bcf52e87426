// Formats of 32 elements (ops.md A.2): element e of the block that begins at byte b.
#ifndef PLUMB_PACKED_SMALL_BLOCKS_GLSL
#define PLUMB_PACKED_SMALL_BLOCKS_GLSL

#include "gpu_vulkan/glsl/packed/bytes.glsl"

uint five_bits(uint high, uint codes_at, uint e) { return nibble_at(codes_at, e) | (word_at(high) >> e & 1u) << 4; }

/// A minimum is the one thing that is rounded: the product is exact.
precise float with_minimum(float d, uint q, float least) { return d * float(q) + least; }

float small_block(uint format, uint b, uint e) {
  switch (format) {
    case Q4_0: return half_at(b) * float(int(nibble_at(b + 2u, e)) - 8);
    case Q4_1: return with_minimum(half_at(b), nibble_at(b + 4u, e), half_at(b + 2u));
    case Q5_0: return half_at(b) * float(int(five_bits(b + 2u, b + 6u, e)) - 16);
    case Q5_1: return with_minimum(half_at(b), five_bits(b + 4u, b + 8u, e), half_at(b + 2u));
    case Q8_0: return half_at(b) * float(signed_byte_at(b + 2u + e));
    case IQ4_NL: return half_at(b) * uneven(nibble_at(b + 2u, e));
    default: return power_product(twice_e2m1(nibble_at(b + 1u, e)), int(byte_at(b)) - 128);
  }
}

#endif
