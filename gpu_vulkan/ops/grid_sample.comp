#version 450
// Samples x at the points of a grid: an invocation makes one element of y from the taps around its point.
// variants: f32 f16 bf16 f64
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/glsl/arithmetic.glsl"
#include "gpu_vulkan/glsl/element.glsl"
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/glsl/power.glsl"
#ifdef VARIANT_f64
#include "gpu_vulkan/glsl/math_f64.glsl"
#else
float whole_part(float x) { return trunc(x); }
float whole_below(float x) { return floor(x); }
float nearest_whole(float x) { return roundEven(x); }
#endif

const uint LINEAR = 0u, NEAREST = 1u, CUBIC = 2u;      // as ir::ops::SampleMode
const uint ZEROS = 0u, BORDER = 1u, REFLECTION = 2u;  // as ir::ops::SamplePadding
const uint nothing = 0xFFFFFFFFu;                      // no element: a tap on 0

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint axes = 2;
layout(constant_id = 2) const uint mode = LINEAR;
layout(constant_id = 3) const uint padding = ZEROS;
layout(constant_id = 4) const bool align_corners = false;
const uint each = mode == NEAREST ? 1 : mode == LINEAR ? 2 : 4;  // taps of an axis

layout(set = 0, binding = 0) readonly buffer X { STORED x[]; };
layout(set = 0, binding = 1) readonly buffer Grid { STORED grid[]; };
layout(set = 0, binding = 2) writeonly buffer Y { STORED y[]; };
layout(push_constant) uniform Block {
  uint elements, channels, points;
  uint extent[3];  // the leading ones 1 where there are fewer axes
};

struct Taps {
  uint index[4];
  COMPUTED weight[4];
};

#ifdef VARIANT_f64
COMPUTED not_a_number() { return double_nan(); }
COMPUTED remainder(COMPUTED a, COMPUTED b) {
  const COMPUTED rest = fma(-b, whole_below(a / b), a);
  return rest < 0 ? rest + b : rest >= b ? rest - b : rest;
}
#else
COMPUTED not_a_number() { return quiet_nan(); }
COMPUTED remainder(COMPUTED a, COMPUTED b) { return fmodf(a, b); }
#endif

COMPUTED reflected(COMPUTED u, uint count) {
  const COMPUTED low = align_corners ? COMPUTED(0) : COMPUTED(-0.5);
  const COMPUTED range = COMPUTED(align_corners ? count - 1u : count);
  if (u >= low && u <= low + range) return u;
  if (align_corners && count == 1u) return low;
  const COMPUTED beyond = remainder(abs(u - low), 2 * range);
  return low + (beyond > range ? 2 * range - beyond : beyond);
}

// The element that a whole number means.
uint element(COMPUTED j, uint count) {
  const COMPUTED last = COMPUTED(count - 1u);
  if (padding == REFLECTION) j = whole_part(reflected(j, count));
  if (padding == ZEROS && !(j >= 0 && j <= last)) return nothing;
  return !(j > 0) ? 0u : j >= last ? count - 1u : uint(j);
}

COMPUTED inner(COMPUTED t) { return (COMPUTED(1.25) * t - COMPUTED(2.25)) * t * t + 1; }
COMPUTED outer(COMPUTED t) { return ((COMPUTED(-0.75) * t + COMPUTED(3.75)) * t - 6) * t + 3; }

Taps taps_at(COMPUTED g, uint count) {
  const COMPUTED n = COMPUTED(count);
  precise COMPUTED u = align_corners ? (g + 1) * COMPUTED(0.5) * (n - 1) : ((g + 1) * n - 1) * COMPUTED(0.5);
  Taps made;
  if (mode == NEAREST) {
    made.index[0] = element(nearest_whole(u), count);
    made.weight[0] = COMPUTED(1);
    return made;
  }
  if (mode == LINEAR && padding != ZEROS) {
    if (padding == REFLECTION) u = reflected(u, count);
    u = u < 0 ? COMPUTED(0) : u > n - 1 ? n - 1 : u;
  }
  const COMPUTED begin = whole_below(u), f = u - begin;
  const COMPUTED first = mode == CUBIC ? begin - 1 : begin;
  for (uint k = 0u; k < each; ++k) made.index[k] = element(first + COMPUTED(k), count);
  if (mode == LINEAR) {
    made.weight[0] = 1 - f;
    made.weight[1] = f;
  } else {
    made.weight[0] = outer(1 + f);
    made.weight[1] = inner(f);
    made.weight[2] = inner(1 - f);
    made.weight[3] = outer(2 - f);
  }
  return made;
}

// Taps on element 0 alone, where there is no such axis.
Taps single() {
  Taps made;
  made.index[0] = 0u;
  made.weight[0] = COMPUTED(1);
  return made;
}

COMPUTED sample_plane(uint plane, Taps t0, Taps t1, Taps t2) {
  COMPUTED sum = COMPUTED(0);
  for (uint i = 0u; i < (axes > 2u ? each : 1u); ++i)
    for (uint j = 0u; j < (axes > 1u ? each : 1u); ++j) {
      if (t0.index[i] == nothing || t1.index[j] == nothing) continue;
      const uint row = ((plane * extent[0] + t0.index[i]) * extent[1] + t1.index[j]) * extent[2];
      COMPUTED line = COMPUTED(0);
      for (uint k = 0u; k < each; ++k)
        if (t2.index[k] != nothing) line += t2.weight[k] * load(x[row + t2.index[k]]);
      sum += t0.weight[i] * t1.weight[j] * line;
    }
  return sum;
}

void main() {
  const uint at = invocation_index();
  if (at >= elements) return;
  const uint plane = at / points, point = plane / channels * points + at % points;
  COMPUTED g[3];
  bool nowhere = false;
  for (uint a = 0u; a < axes; ++a) {
    g[a] = load(grid[point * axes + a]);
    nowhere = nowhere || is_nan(g[a]);
    if (padding == REFLECTION || (padding == BORDER && mode == CUBIC)) nowhere = nowhere || is_infinite(g[a]);
    if (nowhere) g[a] = COMPUTED(0);
  }
  Taps t0 = single(), t1 = single();
  const Taps t2 = taps_at(g[0], extent[2]);
  if (axes > 1u) t1 = taps_at(g[1], extent[1]);
  if (axes > 2u) t0 = taps_at(g[2], extent[0]);
  y[at] = store(nowhere ? not_a_number() : sample_plane(plane, t0, t1, t2));
}
