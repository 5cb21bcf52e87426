#version 450
// variants: w1 w2 w4 w8 w16
// y = cond ? a : b, of elements of 1 to 16 bytes that are moved and not looked at
#extension GL_GOOGLE_include_directive : require
#define OPERANDS 3
#include "gpu_vulkan/kernels/elementwise/elementwise.glsl"
#extension GL_EXT_shader_8bit_storage : require

layout(set = 0, binding = 0) readonly buffer Cond { uint8_t cond[]; };
layout(set = 0, binding = 0) readonly buffer PackedCond { uint packed_cond[]; };
layout(set = 0, binding = 1) readonly buffer A { STORED a[]; };
layout(set = 0, binding = 1) readonly buffer PackedA { PACKED packed_a[]; };
layout(set = 0, binding = 2) readonly buffer B { STORED b[]; };
layout(set = 0, binding = 2) readonly buffer PackedB { PACKED packed_b[]; };
layout(set = 0, binding = 3) writeonly buffer Y { STORED y[]; };
layout(set = 0, binding = 3) writeonly buffer PackedY { PACKED packed_y[]; };

/// The conditions of a unit, a byte each.
uint conditions(uint at, uint n) {
  if (is_packed && is_dense(0) && n == 4u) return packed_cond[at];
  uint bytes = 0u;
  [[unroll]] for (uint i = 0; i < width; ++i)
    if (i < n) bytes |= uint(cond[is_dense(0) ? at * width + i : at]) << 8u * i;
  return bytes;
}

PACKED operand_a(uint at, uint n) {
  PACKED p;
  if (is_packed && is_dense(1) && n == PACK) return packed_a[at];
  [[unroll]] for (uint i = 0; i < width; ++i)
    if (i < n) pack(p, i, load(a[is_dense(1) ? at * width + i : at]));
  return p;
}

PACKED operand_b(uint at, uint n) {
  PACKED p;
  if (is_packed && is_dense(2) && n == PACK) return packed_b[at];
  [[unroll]] for (uint i = 0; i < width; ++i)
    if (i < n) pack(p, i, load(b[is_dense(2) ? at * width + i : at]));
  return p;
}

void store_unit(uint q, uint n, PACKED r) {
  if (is_packed && n == PACK) {
    packed_y[q] = r;
    return;
  }
  [[unroll]] for (uint i = 0; i < width; ++i)
    if (i < n) y[q * width + i] = store(unpack(r, i));
}

void main() {
  uint chosen[MOST_UNITS];
  PACKED first[MOST_UNITS], second[MOST_UNITS];
  [[unroll]] for (uint u = 0; u < units; ++u) {
    const uint q = unit(u), n = elements_in(q);
    uint at[OPERANDS];
    locate(q, at);
    chosen[u] = conditions(at[0], n);
    first[u] = operand_a(at[1], n);
    second[u] = operand_b(at[2], n);
  }
  [[unroll]] for (uint u = 0; u < units; ++u) {
    const uint q = unit(u), n = elements_in(q);
    PACKED r;
    [[unroll]] for (uint i = 0; i < width; ++i)
      pack(r, i, (chosen[u] >> 8u * i & 0xFFu) != 0u ? unpack(first[u], i) : unpack(second[u], i));
    store_unit(q, n, r);
  }
}
