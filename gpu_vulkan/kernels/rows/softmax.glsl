// Softmax of lines, or its logarithm where LOGARITHM is defined: `lanes`
// invocations find the maximum m and Σ exp(x - m) of a line, then write it. Where
// lines are few and long, a first dispatch does the former for slices of them.
#include "gpu_vulkan/glsl/element.glsl"
#include "gpu_vulkan/glsl/index.glsl"
#ifdef VARIANT_f64
#include "gpu_vulkan/glsl/math_f64.glsl"
#define REAL double
#define PAIR dvec2
#else
#include "gpu_vulkan/glsl/math.glsl"
#endif
#include "gpu_vulkan/glsl/sum.glsl"

const uint WHOLE = 0u, FIRST = 1u, SECOND = 2u;
layout(constant_id = 3) const uint stage = WHOLE;

layout(push_constant) uniform Block { uint lines, line_length, inner, slices, slice_length; };

const uint MAXIMUM = 0u, SUM = 1u;
#define HELD PAIR
PAIR combine(PAIR a, PAIR b, uint how) { return how == MAXIMUM ? PAIR(maximum(a.x, b.x), 0.0) : plus(a, b); }
#include "gpu_vulkan/kernels/rows/lines.glsl"

layout(set = 0, binding = 0) readonly buffer X { STORED x[]; };
layout(set = 0, binding = 1) buffer Partials { PAIR partials[]; };  // (m, Σ) of each slice of each line
layout(set = 0, binding = 2) writeonly buffer Y { STORED y[]; };

#ifdef VARIANT_f64
REAL infinity() { return double_infinity(); }
REAL not_a_number() { return double_nan(); }
#else
REAL infinity() { return positive_infinity(); }
REAL not_a_number() { return quiet_nan(); }
#endif

/// m and the sum, which is 0 beside an m that is infinite or NaN.
PAIR peak_and_sum(uint first, uint begin, uint end) {
  PAIR peak = PAIR(-infinity(), 0.0), sum = PAIR(0.0);
  for (uint k = begin + lane(); k < end; k += lanes) peak.x = maximum(peak.x, load(x[first + k * inner]));
  peak = combined(peak, MAXIMUM);
  for (uint k = begin + lane(); k < end; k += lanes) sum = plus(sum, expf(load(x[first + k * inner]) - peak.x));
  sum = combined(sum, SUM);
  return PAIR(peak.x, is_finite(peak.x) ? total(sum) : REAL(0));
}

/// The maximum and the sum of a line whose slices' partial results are known, from `first` on.
PAIR merged(uint first) {
  PAIR peak = PAIR(-infinity(), 0.0), sum = PAIR(0.0);
  for (uint s = lane(); s < slices; s += lanes) peak.x = maximum(peak.x, partials[first + s].x);
  peak = combined(peak, MAXIMUM);
  for (uint s = lane(); s < slices; s += lanes) {
    const PAIR slice = partials[first + s];
    if (slice.y > REAL(0)) sum = plus(sum, slice.y * expf(slice.x - peak.x));
  }
  sum = combined(sum, SUM);
  return PAIR(peak.x, total(sum));
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
  const bool finite = is_finite(found.x);
#ifdef LOGARITHM
  const REAL log_sum = logf(found.y);
#endif
  for (uint k = begin + lane(); k < end; k += lanes) {
    const REAL from_peak = load(x[first + k * inner]) - found.x;
#ifdef LOGARITHM
    // NVIDIA's compiler adds what is subtracted from a double first, unless it is precise: log_sum would be rounded
    // beside a peak that may be far from it.
    precise const REAL value = from_peak - log_sum;
#else
    const REAL value = quotient(expf(from_peak), found.y);
#endif
    y[first + k * inner] = store(finite ? value : not_a_number());
  }
}
