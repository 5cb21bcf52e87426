// Indices of 32 or 64 bits, read from a buffer of 32-bit words without 64-bit
// arithmetic. The includer declares indices[].
#ifndef PLUMB_WIDE_INDEX_GLSL
#define PLUMB_WIDE_INDEX_GLSL

// Index i, `words` words wide, as 64 bits in two's complement: the low word first.
uvec2 wide_index(uint i, uint words) {
  if (words == 2u) return uvec2(indices[2u * i], indices[2u * i + 1u]);
  const uint low = indices[i];
  return uvec2(low, (low & 0x80000000u) != 0u ? 0xFFFFFFFFu : 0u);
}

#endif
