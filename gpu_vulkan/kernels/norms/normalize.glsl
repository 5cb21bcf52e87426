// y = ((x - mean) - rest)·inv_std·scale + bias of lines of neighbouring elements, where
// `rest` is what rounding the mean lost; without CENTERED both are 0. With EPSILON_OUTSIDE
// inv_std is 1 / (√variance + epsilon), else 1 / √(variance + epsilon). `lanes`
// invocations work on a line. Where lines are few and long, a first dispatch finds
// the moments of slices, which the second merges (Chan, Golub and LeVeque 1983).
#include "gpu_vulkan/glsl/arithmetic.glsl"
#include "gpu_vulkan/glsl/element.glsl"
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/glsl/sum.glsl"

const uint WHOLE = 0u, FIRST = 1u, SECOND = 2u;
layout(constant_id = 3) const uint stage = WHOLE;
layout(constant_id = 4) const uint inner_axes = 1;  // axes of scale and bias within a line, and
layout(constant_id = 5) const uint outer_axes = 0;  // across lines: the axes after those
layout(constant_id = 6) const bool has_scale = false;
layout(constant_id = 7) const bool has_bias = false;
layout(constant_id = 8) const bool statistics = false;

layout(push_constant) uniform Block {
  uint lines, line_length, slices, slice_length;
  float epsilon;
  uint extents[8], scale_strides[8], bias_strides[8];  // innermost first
};

#include "gpu_vulkan/kernels/rows/line_scales.glsl"

#define HELD vec4
vec4 combine(vec4 a, vec4 b, uint how) { return vec4(plus(a.xy, b.xy), plus(a.zw, b.zw)); }
#include "gpu_vulkan/kernels/rows/lines.glsl"

layout(set = 0, binding = 0) readonly buffer X { STORED x[]; };
layout(set = 0, binding = 1) readonly buffer Scale { STORED scales[]; };
layout(set = 0, binding = 2) readonly buffer Bias { STORED biases[]; };
layout(set = 0, binding = 3) buffer Partials { vec4 partials[]; };  // Moments of each slice of each line
layout(set = 0, binding = 4) writeonly buffer Y { STORED y[]; };
#ifdef STATISTICS
layout(set = 0, binding = 5) writeonly buffer Mean { float means[]; };
layout(set = 0, binding = 6) writeonly buffer InvStd { float inv_stds[]; };
#endif

struct Moments {
  float mean, rest, squares;  // the last: Σ ((x - mean) - rest)²
};

/// The sums of what all lanes have, one in xy and one in zw.
vec2 sums(vec4 mine) {
  const vec4 both = combined(mine, 0u);
  return vec2(total(both.xy), total(both.zw));
}

/// Σ d² less the part that comes from the mean of d, n·rest².
float centered(float squares, float n, float rest) {
  const float value = squares - n * rest * rest;
  return maximum(value, 0.0);  // not a ternary: compilers make it a max that drops NaN
}

Moments moments(uint first, uint begin, uint end) {
  vec4 mine = vec4(0.0);
  const float n = float(end - begin);
  Moments m = Moments(0.0, 0.0, 0.0);
#ifdef CENTERED
  for (uint k = begin + lane(); k < end; k += lanes) mine.xy = plus(mine.xy, load(x[first + k]));
  m.mean = divide(sums(mine).x, n);
  mine = vec4(0.0);
#endif
  for (uint k = begin + lane(); k < end; k += lanes) {
    const float d = load(x[first + k]) - m.mean;
    mine = vec4(plus(mine.xy, d), plus(mine.zw, d * d));
  }
  const vec2 found = sums(mine);
#ifdef CENTERED
  if (is_finite(m.mean)) m.rest = divide(found.x, n);
#endif
  m.squares = centered(found.y, n, m.rest);
  return m;
}

/// size · (mean + rest - origin), in two numbers.
vec2 weighted(float size, vec4 slice, float origin) {
  const vec2 d = plus(slice.xy, -origin), product = product_of(size, d.x);
  precise const float low = product.y + size * d.y;
  return vec2(product.x, low);
}

/// sum / n, in two numbers.
vec2 quotient_of(vec2 sum, float n) {
  const float q = divide(total(sum), n);
  const vec2 back = product_of(q, n);
  precise const float left = ((sum.x - back.x) - back.y) + sum.y;
  return vec2(q, is_finite(q) ? divide(left, n) : 0.0);
}

/// The moments of a line from those of its slices. First its mean, as that of the first slice and what is to be added
/// to it: slices may be far apart, and what is rounded at their distance shifts the whole line. Then its squares about
/// that mean, whose terms are all positive.
Moments merged(uint first) {
  Moments m = Moments(0.0, 0.0, 0.0);
#ifdef CENTERED
  const float origin = partials[first].x;
  vec4 of_mean = vec4(0.0);
  for (uint s = lane(); s < slices; s += lanes) {
    const float size = float(min((s + 1u) * slice_length, line_length) - s * slice_length);
    of_mean.xy = plus(of_mean.xy, weighted(size, partials[first + s], origin));
  }
  const vec2 moved = quotient_of(combined(of_mean, 0u).xy, float(line_length));
  const vec2 mean = plus(vec2(origin, 0.0), moved);
  m.mean = mean.x;
  if (is_finite(m.mean)) m.rest = mean.y;
#endif
  vec4 mine = vec4(0.0);
  for (uint s = lane(); s < slices; s += lanes) {
    const vec4 slice = partials[first + s];
    const float size = float(min((s + 1u) * slice_length, line_length) - s * slice_length);
    const float d = ((slice.x - m.mean) - m.rest) + slice.y;
    mine.zw = plus(plus(mine.zw, slice.z), size * d * d);
  }
  m.squares = sums(mine).y;
  return m;
}

void main() {
  const uint group = group_index(), slice = group % slices, line = group / slices * lines_here() + place();
  const bool live = line < lines;
  const uint begin = min(slice * slice_length, line_length);
  const uint end = live ? min(begin + slice_length, line_length) : begin;
  const uint first = live ? line * line_length : 0u;
  Moments m;
  if (stage == SECOND) m = merged(live ? line * slices : 0u);
  else m = moments(first, begin, end);
  if (!live) return;
  if (stage == FIRST) {
    if (lane() == 0u) partials[line * slices + slice] = vec4(m.mean, m.rest, m.squares, 0.0);
    return;
  }
  const float variance = divide(m.squares, float(line_length));
#ifdef EPSILON_OUTSIDE
  const float inv_std = divide(1.0, square_root(variance) + epsilon);
#else
  const float inv_std = inverse_square_root(variance + epsilon);
#endif
#ifdef STATISTICS
  if (statistics && lane() == 0u && slice == 0u) {
    means[line] = line_length == 0u ? quiet_nan() : m.mean + m.rest;
    inv_stds[line] = inv_std;
  }
#endif
  const uvec2 outer = offsets(line, inner_axes, outer_axes);
  for (uint k = begin + lane(); k < end; k += lanes) {
    const uvec2 at = outer + offsets(k, 0u, inner_axes);
    float value = ((load(x[first + k]) - m.mean) - m.rest) * inv_std;
    if (has_scale) value *= load(scales[at.x]);
    if (has_bias) value += load(biases[at.y]);
    y[first + k] = store(value);
  }
}
