#version 450
// variants: f32 f16 bf16 f64 i32 u32 i64 i16 i8 u8
// y = minimum(maximum(x, low), high); for a limit that is not given its binding holds x.
#extension GL_GOOGLE_include_directive : require
#define OPERANDS 3
#include "elementwise.glsl"

#if defined(VARIANT_f32) || defined(VARIANT_f16) || defined(VARIANT_bf16) || defined(VARIANT_f64)
#include "arithmetic.glsl"
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
  for (uint i = 0; i < n; ++i) pack(p, i, load(x[is_dense(0) ? at * width + i : at]));
  return p;
}

void main() {
  const uint q = invocation_index(), n = elements_in(q);
  if (n == 0u) return;
  uint at[OPERANDS];
  locate(q, at);
  const PACKED values = operand_x(at[0], n);
  PACKED r;
  for (uint i = 0; i < n; ++i) {
    COMPUTED v = unpack(values, i);
    if (has_low) v = maximum(v, load(low[is_dense(1) ? at[1] * width + i : at[1]]));
    if (has_high) v = minimum(v, load(high[is_dense(2) ? at[2] * width + i : at[2]]));
    pack(r, i, v);
  }
  if (is_packed && n == PACK) packed_y[q] = r;
  else for (uint i = 0; i < n; ++i) y[q * width + i] = store(unpack(r, i));
}
