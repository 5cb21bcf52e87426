// y = ((x - mean) - rest)·inv_std·scale + bias of lines of neighbouring elements, where
// `rest` is what rounding the mean lost; without CENTERED both are 0. With EPSILON_OUTSIDE
// inv_std is 1 / (√variance + epsilon), else 1 / √(variance + epsilon). FACTOR(scale) may
// be another factor than scale itself. `lanes`
// invocations work on a line. Where lines are few and long, a first dispatch finds
// the moments of slices, which the second merges (Chan, Golub and LeVeque 1983).
#include "gpu_vulkan/glsl/arithmetic.glsl"
#include "gpu_vulkan/glsl/element.glsl"
#include "gpu_vulkan/glsl/index.glsl"
#ifdef VARIANT_f64
#define REAL double
#define PAIR dvec2
#define QUAD dvec4
#else
#define QUAD vec4
#endif
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
  uint epsilon_low, epsilon_high;  // bits of epsilon, of f32 in the first
  uint extents[8], scale_strides[8], bias_strides[8];  // innermost first
};

#include "gpu_vulkan/kernels/rows/line_scales.glsl"

#ifndef FACTOR
#define FACTOR(scale) (scale)
#endif

#define HELD QUAD
QUAD combine(QUAD a, QUAD b, uint how) { return QUAD(plus(a.xy, b.xy), plus(a.zw, b.zw)); }
#include "gpu_vulkan/kernels/rows/lines.glsl"

layout(set = 0, binding = 0) readonly buffer X { STORED x[]; };
layout(set = 0, binding = 1) readonly buffer Scale { STORED scales[]; };
layout(set = 0, binding = 2) readonly buffer Bias { STORED biases[]; };
layout(set = 0, binding = 3) buffer Partials { QUAD partials[]; };  // Moments of each slice of each line
layout(set = 0, binding = 4) writeonly buffer Y { STORED y[]; };
#ifdef STATISTICS
layout(set = 0, binding = 5) writeonly buffer Mean { REAL means[]; };
layout(set = 0, binding = 6) writeonly buffer InvStd { REAL inv_stds[]; };
#endif

#ifdef VARIANT_f64
REAL epsilon() { return packDouble2x32(uvec2(epsilon_low, epsilon_high)); }
REAL not_a_number() { return double_nan(); }
#else
REAL epsilon() { return uintBitsToFloat(epsilon_low); }
REAL not_a_number() { return quiet_nan(); }
#endif

struct Moments {
  REAL mean, rest, squares;  // the last: Σ ((x - mean) - rest)²
};

/// The sums of what all lanes have, one in xy and one in zw.
PAIR sums(QUAD mine) {
  const QUAD both = combined(mine, 0u);
  return PAIR(total(both.xy), total(both.zw));
}

/// Σ d² less the part that comes from the mean of d, n·rest².
REAL centered(REAL squares, REAL n, REAL rest) {
  const REAL value = squares - n * rest * rest;
  return maximum(value, REAL(0));  // not a ternary: compilers make it a max that drops NaN
}

Moments moments(uint first, uint begin, uint end) {
  QUAD mine = QUAD(0);
  const REAL n = REAL(end - begin);
  Moments m = Moments(REAL(0), REAL(0), REAL(0));
#ifdef CENTERED
  for (uint k = begin + lane(); k < end; k += lanes) mine.xy = plus(mine.xy, load(x[first + k]));
  m.mean = divide(sums(mine).x, n);
  mine = QUAD(0);
#endif
  for (uint k = begin + lane(); k < end; k += lanes) {
    const REAL d = load(x[first + k]) - m.mean;
    mine = QUAD(plus(mine.xy, d), plus(mine.zw, d * d));
  }
  const PAIR found = sums(mine);
#ifdef CENTERED
  if (is_finite(m.mean)) m.rest = divide(found.x, n);
#endif
  m.squares = centered(found.y, n, m.rest);
  return m;
}

/// size · (mean + rest - origin), in two numbers.
PAIR weighted(REAL size, QUAD slice, REAL origin) {
  const PAIR d = plus(slice.xy, -origin), product = product_of(size, d.x);
  precise const REAL low = product.y + size * d.y;
  return PAIR(product.x, low);
}

/// sum / n, in two numbers.
PAIR quotient_of(PAIR sum, REAL n) {
  const REAL q = divide(total(sum), n);
  const PAIR back = product_of(q, n);
  precise const REAL left = ((sum.x - back.x) - back.y) + sum.y;
  return PAIR(q, is_finite(q) ? divide(left, n) : REAL(0));
}

/// The moments of a line from those of its slices. First its mean, as that of the first slice and what is to be added
/// to it: slices may be far apart, and what is rounded at their distance shifts the whole line. Then its squares about
/// that mean, whose terms are all positive.
Moments merged(uint first) {
  Moments m = Moments(REAL(0), REAL(0), REAL(0));
#ifdef CENTERED
  const REAL origin = partials[first].x;
  QUAD of_mean = QUAD(0);
  for (uint s = lane(); s < slices; s += lanes) {
    const REAL size = REAL(min((s + 1u) * slice_length, line_length) - s * slice_length);
    of_mean.xy = plus(of_mean.xy, weighted(size, partials[first + s], origin));
  }
  const PAIR moved = quotient_of(combined(of_mean, 0u).xy, REAL(line_length));
  const PAIR mean = plus(PAIR(origin, REAL(0)), moved);
  m.mean = mean.x;
  if (is_finite(m.mean)) m.rest = mean.y;
#endif
  QUAD mine = QUAD(0);
  for (uint s = lane(); s < slices; s += lanes) {
    const QUAD slice = partials[first + s];
    const REAL size = REAL(min((s + 1u) * slice_length, line_length) - s * slice_length);
    precise const REAL d = ((slice.x - m.mean) - m.rest) + slice.y;
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
    if (lane() == 0u) partials[line * slices + slice] = QUAD(m.mean, m.rest, m.squares, REAL(0));
    return;
  }
  const REAL variance = divide(m.squares, REAL(line_length));
#ifdef EPSILON_OUTSIDE
  const REAL inv_std = divide(REAL(1), square_root(variance) + epsilon());
#else
  const REAL inv_std = inverse_square_root(variance + epsilon());
#endif
#ifdef STATISTICS
  if (statistics && lane() == 0u && slice == 0u) {
    means[line] = line_length == 0u ? not_a_number() : m.mean + m.rest;
    inv_stds[line] = inv_std;
  }
#endif
  const uvec2 outer = offsets(line, inner_axes, outer_axes);
  for (uint k = begin + lane(); k < end; k += lanes) {
    const uvec2 at = outer + offsets(k, 0u, inner_axes);
    // NVIDIA's compiler adds what is subtracted from a double first, unless it is precise: rest would be lost in mean.
    precise const REAL d = (load(x[first + k]) - m.mean) - m.rest;
    REAL value = d * inv_std;
    if (has_scale) value *= FACTOR(load(scales[at.x]));
    if (has_bias) value += load(biases[at.y]);
    y[first + k] = store(value);
  }
}
