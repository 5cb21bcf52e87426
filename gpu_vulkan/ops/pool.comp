#version 450
// Sums, averages and p-norms of windows: an invocation computes one element of y from the taps
// inside the image, in chunks of 256.
// variants: f32 f16 bf16 f64
#extension GL_GOOGLE_include_directive : require
#define PUSHED uint elements, p, pad_end[3];
#include "gpu_vulkan/glsl/arithmetic.glsl"
#include "gpu_vulkan/kernels/conv/convolution.glsl"
#include "gpu_vulkan/glsl/element.glsl"
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/glsl/power.glsl"

const uint AVERAGE = 1u, LP = 2u, SUM = 3u;  // as ir::ops::PoolFunction
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint function = SUM;
layout(constant_id = 2) const bool count_pads = false;

layout(set = 0, binding = 0) readonly buffer X { STORED x[]; };
layout(set = 0, binding = 1) writeonly buffer Y { STORED y[]; };

COMPUTED whole_power(COMPUTED base) {
  COMPUTED power = COMPUTED(1);
  for (uint rest = p; rest != 0u; rest >>= 1, base *= base)
    if ((rest & 1u) != 0u) power *= base;
  return power;
}

// s^(1/p) for s from 1 up.
COMPUTED root(COMPUTED s) {
  if (p == 1u) return s;
  if (p == 2u) return square_root(s);
  COMPUTED r = COMPUTED(powf(float(s), divide(1.0, float(p))));
#ifdef VARIANT_f64
  for (uint i = 0u; i < 4u; ++i) r += r * (s / whole_power(r) - 1.0lf) / double(p);  // Newton
#endif
  return r;
}

// The sum over a window; of lp the powers of |x| / peak, or where `peak` is 0 the largest |x|.
COMPUTED fold(uint plane, uvec3 o, COMPUTED peak) {
  const bool find_peak = function == LP && is_zero(peak);
  const uvec2 taps0 = taps_inside(0, o.x), taps1 = taps_inside(1, o.y), taps2 = taps_inside(2, o.z);
  COMPUTED sum = COMPUTED(0), chunk = COMPUTED(0);
  uint count = 0u;
  for (uint t0 = taps0.x; t0 < taps0.y; ++t0)
    for (uint t1 = taps1.x; t1 < taps1.y; ++t1) {
      uint at = o.z * stride[2] + taps2.x * dilation[2] - pad[2];
      at += ((plane * extent[0] + (o.x * stride[0] + t0 * dilation[0] - pad[0])) * extent[1] +
             (o.y * stride[1] + t1 * dilation[1] - pad[1])) * extent[2];
      for (uint t2 = taps2.x; t2 < taps2.y; ++t2, at += dilation[2]) {
        const COMPUTED value = load(x[at]);
        if (find_peak) sum = maximum(sum, abs(value));
        else chunk += function == LP ? whole_power(divide(abs(value), peak)) : value;
        if (++count % 256u == 0u) {
          sum += chunk;
          chunk = COMPUTED(0);
        }
      }
    }
  return sum + chunk;
}

uint divisor(uvec3 o) {
  uint count = 1u;
  for (uint a = 0u; a < 3u; ++a) {
    const uvec2 taps = taps_within(a, o[a], count_pads ? pad[a] : 0u, count_pads ? pad_end[a] : 0u);
    count *= taps.y - taps.x;
  }
  return count;
}

void main() {
  const uint element = invocation_index(), at = element % positions_of_image(), plane = element / positions_of_image();
  if (element >= elements) return;
  const uvec3 o = uvec3(at / (positions[1] * positions[2]), at / positions[2] % positions[1], at % positions[2]);
  COMPUTED sum = fold(plane, o, COMPUTED(0));
  if (function == LP && !is_zero(sum) && !is_nan(sum) && !is_infinite(sum)) sum *= root(fold(plane, o, sum));
  if (function == AVERAGE) {
    const uint count = divisor(o);
    sum = count == 0u ? COMPUTED(0) : divide(sum, COMPUTED(count));
  }
  y[element] = store(sum);
}
