#version 450
// variants: f32 f16 bf16 f64 i32 i64 i16 i8
// y = x where x >= 0 or NaN, else slope x
#extension GL_GOOGLE_include_directive : require
#define OPERANDS 2
#include "elementwise.glsl"

#if defined(VARIANT_f64)
#include "arithmetic.glsl"
double apply(double v, double slope) { return is_nan(v) || sign_of(v) == 0u ? v : slope * v; }
#elif defined(VARIANT_f32) || defined(VARIANT_f16) || defined(VARIANT_bf16)
#include "fused.glsl"
#ifdef IS_NARROW
const bool to_odd = true;  // what is stored rounds once more
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

void main() {
  const uint q = invocation_index(), n = elements_in(q);
  if (n == 0u) return;
  const bool whole = is_packed && n == PACK;
  uint at[OPERANDS];
  locate(q, at);
  PACKED v, r;
  if (whole && is_dense(0)) v = packed_x[at[0]];
  else for (uint i = 0; i < n; ++i) pack(v, i, load(x[is_dense(0) ? at[0] * width + i : at[0]]));
  for (uint i = 0; i < n; ++i) pack(r, i, apply(unpack(v, i), load(slope[is_dense(1) ? at[1] * width + i : at[1]])));
  if (whole) packed_y[q] = r;
  else for (uint i = 0; i < n; ++i) y[q * width + i] = store(unpack(r, i));
}
