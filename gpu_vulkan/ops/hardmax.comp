#version 450
// variants: w1 w2 w4 w8
// Each invocation writes one element: `one` where the maximum of its line is, else 0.
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/glsl/divide.glsl"
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/glsl/word.glsl"

layout(local_size_x_id = 0) in;

layout(set = 0, binding = 0) readonly buffer Maxima { uint maxima[]; };  // their positions, by line
layout(set = 0, binding = 1) writeonly buffer Y { WORD y[]; };
layout(push_constant) uniform Block {
  uvec2 by_inner, by_length;
  uvec2 one;  // bits, the low word first
  uint elements, line_length, inner;
};

void main() {
  const uint at = invocation_index();
  if (at >= elements) return;
  const uint row = divide(at, by_inner), outer = divide(row, by_length), k = row - outer * line_length;
  const bool is_maximum = maxima[outer * inner + (at - row * inner)] == k;
#if defined(VARIANT_w8)
  y[at] = is_maximum ? one : uvec2(0u);
#else
  y[at] = WORD(is_maximum ? one.x : 0u);
#endif
}
