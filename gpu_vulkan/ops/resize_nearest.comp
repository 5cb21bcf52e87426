#version 450
// Resize to the nearest element: an invocation moves one; along each dimension the table says which, or `unchanged`
// where the source lies outside.
// variants: w1 w2 w4 w8 w16
#extension GL_GOOGLE_include_directive : require
#define PUSHED uint value[4];  // bits of an output whose source lies outside
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/glsl/resampled.glsl"
#include "gpu_vulkan/glsl/word.glsl"

layout(set = 0, binding = 0) readonly buffer X { WORD x[]; };
layout(set = 0, binding = 1) readonly buffer Table { uint table[]; };
layout(set = 0, binding = 2) writeonly buffer Y { WORD y[]; };

HELD outside_value() {
#if defined(VARIANT_w8)
  return uvec2(value[0], value[1]);
#elif defined(VARIANT_w16)
  return uvec4(value[0], value[1], value[2], value[3]);
#else
  return value[0];
#endif
}

void main() {
  const uint element = invocation_index();
  if (element >= elements) return;
  uint rest = element, from = 0u, stride = 1u;
  bool outside = false;
  for (uint k = 0u; k < dimensions; ++k) {
    const uint d = 7u - k;
    uint at = rest % out_extent[d];
    rest /= out_extent[d];
    if (taps_at[d] != unchanged) at = table[taps_at[d] + at];
    outside = outside || at == unchanged;
    from += at * stride;
    stride *= in_extent[d];
  }
  if (outside) y[element] = WORD(outside_value());
  else y[element] = x[from];
}
