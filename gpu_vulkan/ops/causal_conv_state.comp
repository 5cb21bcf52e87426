#version 450
// The state of a causal convolution for the next chunk: the last `kept` samples of state and chunk, bit by bit.
// variants: w2 w4 w8
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/glsl/divide.glsl"
#include "gpu_vulkan/glsl/element.glsl"
#include "gpu_vulkan/glsl/index.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const bool has_state = false;

layout(set = 0, binding = 0) readonly buffer X { STORED x[]; };
layout(set = 0, binding = 1) readonly buffer State { STORED state[]; };
layout(set = 0, binding = 2) writeonly buffer Next { STORED next[]; };
layout(push_constant) uniform Block {
  uvec2 by_kept;
  uint elements, kept, length_of_line;
};

void main() {
  const uint element = invocation_index();
  if (element >= elements) return;
  const uint line = divide(element, by_kept), at = element - line * kept + length_of_line;
  if (at >= kept) {
    next[element] = x[line * length_of_line + at - kept];
  } else if (has_state) {
    next[element] = state[line * kept + at];
  } else {
    next[element] = STORED(0);
  }
}
