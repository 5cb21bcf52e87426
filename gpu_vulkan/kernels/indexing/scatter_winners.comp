#version 450
// The last update of each target: the largest of their numbers, counted from 1, in
// whatever order they come.
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/glsl/index.glsl"

layout(local_size_x_id = 0) in;

layout(set = 0, binding = 0) readonly buffer Targets { uint targets[]; };
layout(set = 0, binding = 1) buffer Winners { uint winners[]; };
layout(push_constant) uniform Block { uint count; };

void main() {
  const uint update = invocation_index();
  if (update < count && targets[update] != 0xFFFFFFFFu) atomicMax(winners[targets[update]], update + 1u);
}
