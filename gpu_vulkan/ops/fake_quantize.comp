#version 450
// The reals that codes of x stand for. Codes are clamped without their zero point, so that none is too large for the
// type that is computed in.
// variants: f32 f16 bf16 f64
#extension GL_GOOGLE_include_directive : require
#define OPERANDS 3
#include "gpu_vulkan/kernels/elementwise/elementwise.glsl"
#include "gpu_vulkan/glsl/specials_kept.glsl"

#ifdef VARIANT_f64
#include "gpu_vulkan/glsl/math_f64.glsl"
#else
#include "gpu_vulkan/glsl/arithmetic.glsl"
float nearest_whole(float x) { return roundEven(x); }
#endif

layout(constant_id = 4) const uint q_min = 0;
layout(constant_id = 5) const uint q_max = 0;
layout(constant_id = 6) const bool has_zero_point = false;

layout(set = 0, binding = 0) readonly buffer X { STORED x[]; };
layout(set = 0, binding = 0) readonly buffer PackedX { PACKED packed_x[]; };
layout(set = 0, binding = 1) readonly buffer Scale { STORED scales[]; };
layout(set = 0, binding = 2) readonly buffer ZeroPoint { int zero_points[]; };
layout(set = 0, binding = 3) writeonly buffer Y { STORED y[]; };
layout(set = 0, binding = 3) writeonly buffer PackedY { PACKED packed_y[]; };

/// code - zero, rounded once: the upper and the lower halves differ by numbers that are exact.
precise COMPUTED difference(int code, int zero) {
  const int upper = (code >> 16) - (zero >> 16), lower = (code & 0xFFFF) - (zero & 0xFFFF);
  return COMPUTED(upper) * COMPUTED(65536) + COMPUTED(lower);
}

precise COMPUTED apply(COMPUTED v, COMPUTED scale, int zero) {
  const COMPUTED least = difference(int(q_min), zero), most = difference(int(q_max), zero);
  const COMPUTED real = divide(v, scale), whole = is_nan(real) ? COMPUTED(0) : nearest_whole(real);
  return (whole < least ? least : whole > most ? most : whole) * scale;
}

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
    [[unroll]] for (uint i = 0; i < width; ++i) {
      if (i >= n) continue;
      const uint channel = is_dense(1) ? at[u][1] * width + i : at[u][1];
      pack(r, i, apply(unpack(v[u], i), load(scales[channel]), has_zero_point ? zero_points[channel] : 0));
    }
    store_unit(q, n, r);
  }
}
