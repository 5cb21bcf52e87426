#version 450
// variants: f32 f16 bf16 f64 i32 u32 i64 i16 i8 u8 u16 bool c64 c128
// y = a function b
#extension GL_GOOGLE_include_directive : require
#define OPERANDS 2
#include "gpu_vulkan/kernels/elementwise/elementwise.glsl"
#extension GL_EXT_shader_explicit_arithmetic_types_float64 : enable

#include "gpu_vulkan/kernels/elementwise/compare.glsl"

layout(constant_id = 4) const uint function = EQUAL;

layout(set = 0, binding = 0) readonly buffer A { STORED a[]; };
layout(set = 0, binding = 0) readonly buffer PackedA { PACKED packed_a[]; };
layout(set = 0, binding = 1) readonly buffer B { STORED b[]; };
layout(set = 0, binding = 1) readonly buffer PackedB { PACKED packed_b[]; };
layout(set = 0, binding = 2) writeonly buffer Y { uint8_t y[]; };
layout(set = 0, binding = 2) writeonly buffer PackedY { uint packed_y[]; };

PACKED operand_a(uint at, uint n) {
  PACKED p;
  if (is_packed && is_dense(0) && n == PACK) return packed_a[at];
  [[unroll]] for (uint i = 0; i < width; ++i)
    if (i < n) pack(p, i, load(a[is_dense(0) ? at * width + i : at]));
  return p;
}

PACKED operand_b(uint at, uint n) {
  PACKED p;
  if (is_packed && is_dense(1) && n == PACK) return packed_b[at];
  [[unroll]] for (uint i = 0; i < width; ++i)
    if (i < n) pack(p, i, load(b[is_dense(1) ? at * width + i : at]));
  return p;
}

void store_unit(uint q, uint n, uint bytes) {
  if (is_packed && n == 4u) {
    packed_y[q] = bytes;
    return;
  }
  [[unroll]] for (uint i = 0; i < width; ++i)
    if (i < n) y[q * width + i] = uint8_t(bytes >> 8u * i & 1u);
}

void main() {
  PACKED left[MOST_UNITS], right[MOST_UNITS];
  [[unroll]] for (uint u = 0; u < units; ++u) {
    const uint q = unit(u), n = elements_in(q);
    uint at[OPERANDS];
    locate(q, at);
    left[u] = operand_a(at[0], n);
    right[u] = operand_b(at[1], n);
  }
  [[unroll]] for (uint u = 0; u < units; ++u) {
    const uint q = unit(u), n = elements_in(q);
    uint bytes = 0u;
    [[unroll]] for (uint i = 0; i < width; ++i)
      bytes |= compared(function, unpack(left[u], i), unpack(right[u], i)) ? 1u << 8u * i : 0u;
    store_unit(q, n, bytes);
  }
}
