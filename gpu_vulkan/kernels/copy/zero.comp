#version 450
// Clears memory: each invocation sets one 32-bit word to 0.
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/glsl/index.glsl"

layout(local_size_x_id = 0) in;

layout(set = 0, binding = 0) writeonly buffer Y { uint y[]; };
layout(push_constant) uniform Block { uint words; };

void main() {
  if (invocation_index() < words) y[invocation_index()] = 0u;
}
