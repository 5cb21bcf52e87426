#version 450
// The last update of each target: the largest of their numbers, counted from 1, in
// whatever order they come. Of an operand that is written over there is none once a
// fault was raised, so that scatter_write.comp writes nothing.
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/glsl/index.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const bool is_in_place = false;

layout(set = 0, binding = 0) readonly buffer Targets { uint targets[]; };
layout(set = 0, binding = 1) readonly buffer Faults { uint faults[]; };
layout(set = 0, binding = 2) buffer Winners { uint winners[]; };
layout(push_constant) uniform Block { uint count; };

void main() {
  if (is_in_place && faults[0] != 0u) return;
  const uint update = invocation_index();
  if (update < count && targets[update] != 0xFFFFFFFFu) atomicMax(winners[targets[update]], update + 1u);
}
