#version 450
// variants: f32 f16 bf16 f64
// y = function(x), by the bits of x
#extension GL_GOOGLE_include_directive : require
#define OPERANDS 1
#include "gpu_vulkan/kernels/elementwise/elementwise.glsl"
#extension GL_EXT_shader_8bit_storage : require

#include "gpu_vulkan/glsl/arithmetic.glsl"

const uint IS_NAN = 0u, IS_INF = 1u, IS_POSITIVE_INF = 2u, IS_NEGATIVE_INF = 3u;  // as ir::ops::FloatClass
layout(constant_id = 4) const uint function = IS_NAN;

layout(set = 0, binding = 0) readonly buffer X { STORED x[]; };
layout(set = 0, binding = 0) readonly buffer PackedX { PACKED packed_x[]; };
layout(set = 0, binding = 1) writeonly buffer Y { uint8_t y[]; };
layout(set = 0, binding = 1) writeonly buffer PackedY { uint packed_y[]; };

bool apply(COMPUTED v) {
  switch (function) {
    case IS_NAN: return is_nan(v);
    case IS_INF: return is_infinite(v);
    case IS_POSITIVE_INF: return is_infinite(v) && sign_of(v) == 0u;
    case IS_NEGATIVE_INF: return is_infinite(v) && sign_of(v) != 0u;
    default: return !is_nan(v) && !is_infinite(v);
  }
}

PACKED operand_x(uint q, uint n) {
  PACKED p;
  if (is_packed && n == PACK) return packed_x[q];
  [[unroll]] for (uint i = 0; i < width; ++i)
    if (i < n) pack(p, i, load(x[q * width + i]));
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
  PACKED v[MOST_UNITS];
  [[unroll]] for (uint u = 0; u < units; ++u) {
    const uint q = unit(u), n = elements_in(q);
    v[u] = operand_x(q, n);
  }
  [[unroll]] for (uint u = 0; u < units; ++u) {
    const uint q = unit(u), n = elements_in(q);
    uint bytes = 0u;
    [[unroll]] for (uint i = 0; i < width; ++i) bytes |= apply(unpack(v[u], i)) ? 1u << 8u * i : 0u;
    store_unit(q, n, bytes);
  }
}
