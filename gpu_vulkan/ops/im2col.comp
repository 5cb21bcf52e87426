#version 450
// variants: w1 w2 w4 w8 w16
// Im2col: an invocation copies the element that a tap sees from a position, or writes 0 in the padding.
#extension GL_GOOGLE_include_directive : require
#define PUSHED uint elements;
#include "gpu_vulkan/kernels/conv/convolution.glsl"
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/glsl/word.glsl"

layout(local_size_x_id = 0) in;

layout(set = 0, binding = 0) readonly buffer X { WORD x[]; };
layout(set = 0, binding = 1) writeonly buffer Y { WORD y[]; };

void main() {
  const uint at = invocation_index();
  if (at >= elements) return;
  const uint row = at / positions_of_image();  // one tap of one plane
  const ivec3 seen = corner_of(at - row * positions_of_image()) + tap_of(row);
  HELD element = HELD(0u);
  if (is_inside(seen)) element = HELD(x[position_in_x(row / taps(), seen)]);
  y[at] = WORD(element);
}
