#version 450
// variants: f32 f16 bf16 f64 i32 u32 i64 i16 i8 u8 u16
// y = minimum(maximum(x, low), high); for a limit that is not given its binding holds x.
#extension GL_GOOGLE_include_directive : require
#define OPERANDS 3
#include "gpu_vulkan/kernels/elementwise/elementwise.glsl"

#if defined(VARIANT_f32) || defined(VARIANT_f16) || defined(VARIANT_bf16) || defined(VARIANT_f64)
#include "gpu_vulkan/glsl/arithmetic.glsl"
#else
COMPUTED maximum(COMPUTED l, COMPUTED r) { return max(l, r); }
COMPUTED minimum(COMPUTED l, COMPUTED r) { return min(l, r); }
#endif

layout(constant_id = 4) const bool has_low = true;
layout(constant_id = 5) const bool has_high = true;

layout(set = 0, binding = 0) readonly buffer X { STORED x[]; };
layout(set = 0, binding = 0) readonly buffer PackedX { PACKED packed_x[]; };
layout(set = 0, binding = 1) readonly buffer Low { STORED low[]; };
layout(set = 0, binding = 2) readonly buffer High { STORED high[]; };
layout(set = 0, binding = 3) writeonly buffer Y { STORED y[]; };
layout(set = 0, binding = 3) writeonly buffer PackedY { PACKED packed_y[]; };

PACKED operand_x(uint at, uint n) {
  PACKED p;
  if (is_packed && is_dense(0) && n == PACK) return packed_x[at];
  [[unroll]] for (uint i = 0; i < width; ++i)
    if (i < n) pack(p, i, load(x[is_dense(0) ? at * width + i : at]));
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
  uint at[MOST_UNITS][OPERANDS];
  PACKED values[MOST_UNITS];
  [[unroll]] for (uint u = 0; u < units; ++u) {
    const uint q = unit(u), n = elements_in(q);
    locate(q, at[u]);
    values[u] = operand_x(at[u][0], n);
  }
  [[unroll]] for (uint u = 0; u < units; ++u) {
    const uint q = unit(u), n = elements_in(q);
    PACKED r;
    [[unroll]] for (uint i = 0; i < width; ++i) {
      if (i >= n) break;
      COMPUTED v = unpack(values[u], i);
      if (has_low) v = maximum(v, load(low[is_dense(1) ? at[u][1] * width + i : at[u][1]]));
      if (has_high) v = minimum(v, load(high[is_dense(2) ? at[u][2] * width + i : at[u][2]]));
      pack(r, i, v);
    }
    store_unit(q, n, r);
  }
}
