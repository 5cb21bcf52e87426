#version 450
// variants: f32 f16 bf16 f64
// y = x / (Σ |x|^p)^(1/p) of lines. `lanes` invocations find the largest magnitude of a line and
// its sum, in units of the power of two below that magnitude: neither squares nor sums
// leave the range. Where lines are few and long, a first dispatch does so for slices of them.
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/glsl/element.glsl"
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/glsl/units.glsl"
#ifdef VARIANT_f64
#define REAL double
#define PAIR dvec2
#endif
#include "gpu_vulkan/glsl/sum.glsl"

const uint WHOLE = 0u, FIRST = 1u, SECOND = 2u;
layout(constant_id = 3) const uint stage = WHOLE;
layout(constant_id = 4) const bool squared = true;  // p is 2

layout(push_constant) uniform Block { uint lines, line_length, inner, slices, slice_length; };

const uint MAXIMUM = 0u, SUM = 1u;
#define HELD PAIR
PAIR combine(PAIR a, PAIR b, uint how) { return how == MAXIMUM ? PAIR(maximum(a.x, b.x), 0.0) : plus(a, b); }
#include "gpu_vulkan/kernels/rows/lines.glsl"

layout(set = 0, binding = 0) readonly buffer X { STORED x[]; };
layout(set = 0, binding = 1) buffer Partials { PAIR partials[]; };  // (peak, Σ) of each slice of each line
layout(set = 0, binding = 2) writeonly buffer Y { STORED y[]; };

REAL term(REAL value) { return squared ? value * value : abs(value); }

PAIR peak_and_sum(uint first, uint begin, uint end) {
  PAIR peak = PAIR(0.0), sum = PAIR(0.0);
  for (uint k = begin + lane(); k < end; k += lanes) peak.x = maximum(peak.x, magnitude(load(x[first + k * inner])));
  peak = combined(peak, MAXIMUM);
  const int unit = exponent_of(peak.x);
  for (uint k = begin + lane(); k < end; k += lanes) sum = plus(sum, term(in_units(load(x[first + k * inner]), unit)));
  return PAIR(peak.x, total(combined(sum, SUM)));
}

/// The norm of a line whose slices' partial results are known, from `first` on.
PAIR merged(uint first) {
  PAIR peak = PAIR(0.0), sum = PAIR(0.0);
  for (uint s = lane(); s < slices; s += lanes) peak.x = maximum(peak.x, partials[first + s].x);
  peak = combined(peak, MAXIMUM);
  const int unit = exponent_of(peak.x);
  for (uint s = lane(); s < slices; s += lanes) {
    const PAIR slice = partials[first + s];
    if (is_zero(slice.x)) continue;
    const REAL ratio = scale(REAL(1.0), exponent_of(slice.x) - unit);
    sum = plus(sum, squared ? slice.y * ratio * ratio : slice.y * ratio);
  }
  return PAIR(peak.x, total(combined(sum, SUM)));
}

void main() {
  const uint group = group_index(), slice = group % slices, line = group / slices * lines_here() + place();
  const bool live = line < lines;
  const uint begin = min(slice * slice_length, line_length);
  const uint end = live ? min(begin + slice_length, line_length) : begin;
  const uint first = live ? line / inner * line_length * inner + line % inner : 0u;
  const PAIR found = stage == SECOND ? merged(live ? line * slices : 0u) : peak_and_sum(first, begin, end);
  if (stage == FIRST) {
    if (live && lane() == 0u) partials[line * slices + slice] = found;
    return;
  }
  const int unit = exponent_of(found.x);
  const REAL norm = squared ? square_root(found.y) : found.y;
  for (uint k = begin + lane(); k < end; k += lanes) {
    const REAL value = load(x[first + k * inner]);
    y[first + k * inner] = store(is_zero(norm) ? value : divide(in_units(value, unit), norm));
  }
}
