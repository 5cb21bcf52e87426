#version 450
// The maximum of each window and where in x it is, by the order of bits: NaN is largest, of equals
// the first is taken. An invocation finds one element of y.
// variants: w1 w2 w4 w8
#extension GL_GOOGLE_include_directive : require
#define PUSHED uint elements, lowest[2];
#include "gpu_vulkan/kernels/conv/convolution.glsl"
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/kernels/sort/ordered.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint encoding = UNSIGNED;
layout(constant_id = 2) const bool with_indices = false;

layout(set = 0, binding = 0) readonly buffer X { WORD x[]; };
layout(set = 0, binding = 1) writeonly buffer Y { WORD y[]; };
layout(set = 0, binding = 2) writeonly buffer Indices { uvec2 indices[]; };

void main() {
  const uint element = invocation_index(), at = element % positions_of_image(), plane = element / positions_of_image();
  if (element >= elements) return;
  const uvec3 o = uvec3(at / (positions[1] * positions[2]), at / positions[2] % positions[1], at % positions[2]);
  const uvec2 taps0 = taps_inside(0, o.x), taps1 = taps_inside(1, o.y), taps2 = taps_inside(2, o.z);
#if defined(VARIANT_w8)
  HELD best = uvec2(lowest[0], lowest[1]);
#else
  HELD best = lowest[0];
#endif
  KEY best_key = first_key;
  uint place = 0xFFFFFFFFu;
  for (uint t0 = taps0.x; t0 < taps0.y; ++t0)
    for (uint t1 = taps1.x; t1 < taps1.y; ++t1) {
      uint from = o.z * stride[2] + taps2.x * dilation[2] - pad[2];
      from += ((plane * extent[0] + (o.x * stride[0] + t0 * dilation[0] - pad[0])) * extent[1] +
               (o.y * stride[1] + t1 * dilation[1] - pad[1])) * extent[2];
      for (uint t2 = taps2.x; t2 < taps2.y; ++t2, from += dilation[2]) {
        const HELD value = HELD(x[from]);
        const KEY key = key_of(value, encoding);
        if (place != 0xFFFFFFFFu && !before(best_key, key)) continue;
        best = value;
        best_key = key;
        place = from;
      }
    }
  y[element] = WORD(best);
  if (with_indices) indices[element] = uvec2(place, place == 0xFFFFFFFFu ? place : 0u);
}
