#version 450
// variants: w1 w2 w4 w8 w16
// Each invocation writes one word of an update that is the last of its target.
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/glsl/divide.glsl"
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/glsl/word.glsl"

layout(local_size_x_id = 0) in;

layout(set = 0, binding = 0) readonly buffer Targets { uint targets[]; };
layout(set = 0, binding = 1) readonly buffer Winners { uint winners[]; };
layout(set = 0, binding = 2) readonly buffer Updates { WORD updates[]; };
layout(set = 0, binding = 3) writeonly buffer Y { WORD y[]; };
layout(push_constant) uniform Block {
  uvec2 by_inner;
  uint words;  // words of all updates
  uint inner;  // words per slice
};

void main() {
  const uint at = invocation_index();
  if (at >= words) return;
  const uint update = divide(at, by_inner), target = targets[update];
  if (target == 0xFFFFFFFFu || winners[target] != update + 1u) return;
  y[target * inner + (at - update * inner)] = updates[at];
}
