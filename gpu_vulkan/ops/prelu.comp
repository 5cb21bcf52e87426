#version 450
// variants: f32 f16 bf16 f64 i32 i64 i16 i8
// y = x where x >= 0 or NaN, else slope x
#extension GL_GOOGLE_include_directive : require
#define OPERANDS 2
#include "gpu_vulkan/kernels/elementwise/elementwise.glsl"

#if defined(VARIANT_f64)
#include "gpu_vulkan/glsl/arithmetic.glsl"
double apply(double v, double slope) { return is_nan(v) || sign_of(v) == 0u ? v : slope * v; }
#elif defined(VARIANT_f32) || defined(VARIANT_f16) || defined(VARIANT_bf16)
#include "gpu_vulkan/glsl/fused.glsl"
#ifdef IS_NARROW
const bool to_odd = true;  // the store rounds once more
#else
const bool to_odd = false;
#endif
// In integers: a slope may make a normal number of a subnormal.
float apply(float v, float slope) {
  return is_nan(v) || is_zero(v) || sign_of(v) == 0u ? v : fused(slope, v, -0.0, to_odd);
}
#else
COMPUTED apply(COMPUTED v, COMPUTED slope) { return v < COMPUTED(0) ? slope * v : v; }
#endif

layout(set = 0, binding = 0) readonly buffer X { STORED x[]; };
layout(set = 0, binding = 0) readonly buffer PackedX { PACKED packed_x[]; };
layout(set = 0, binding = 1) readonly buffer Slope { STORED slope[]; };
layout(set = 0, binding = 2) writeonly buffer Y { STORED y[]; };
layout(set = 0, binding = 2) writeonly buffer PackedY { PACKED packed_y[]; };

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
  PACKED v[MOST_UNITS];
  [[unroll]] for (uint u = 0; u < units; ++u) {
    const uint q = unit(u), n = elements_in(q);
    locate(q, at[u]);
    v[u] = operand_x(at[u][0], n);
  }
  [[unroll]] for (uint u = 0; u < units; ++u) {
    const uint q = unit(u), n = elements_in(q);
    PACKED r;
    [[unroll]] for (uint i = 0; i < width; ++i)
      if (i < n) pack(r, i, apply(unpack(v[u], i), load(slope[is_dense(1) ? at[u][1] * width + i : at[u][1]])));
    store_unit(q, n, r);
  }
}
