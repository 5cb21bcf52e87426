#version 450
// variants: elements tuples
// Where each update goes: the element or slice of y that its index or tuple of indices
// means, or none where that is out of range. Clears what scatter_winners.comp counts in.
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/glsl/index.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint index_words = 1;
layout(constant_id = 2) const bool clears = false;
layout(constant_id = 3) const uint axes = 1;
layout(constant_id = 4) const uint tuple_length = 1;

layout(set = 0, binding = 0) readonly buffer Indices { uint indices[]; };
layout(set = 0, binding = 1) writeonly buffer Targets { uint targets[]; };
layout(set = 0, binding = 2) buffer Winners { uint winners[]; };
#define FAULTS_BINDING 3
#include "gpu_vulkan/glsl/faults.glsl"

#if defined(VARIANT_elements)
#include "gpu_vulkan/kernels/indexing/indexed_elements.glsl"
#include "gpu_vulkan/kernels/indexing/indices.glsl"

bool find_target(uint update, out uint target) {
  uint position;
  const bool found = find_position(update, extent, position);
  target = line_start(update) + position * stride;
  return found;
}
#else
layout(push_constant) uniform Block {
  uvec2 by_in_batch;
  uint of_x;
  uint node;
  uint extents[8], strides[8];
  uint count;  // tuples
};
#include "gpu_vulkan/kernels/indexing/index_tuples.glsl"

bool find_target(uint update, out uint target) { return find_slice(update, target); }
#endif

void main() {
  const uint update = invocation_index();
  if (update >= count) return;
  uint target;
  const bool found = find_target(update, target);
  targets[update] = found ? target : 0xFFFFFFFFu;
  if (found && clears) atomicExchange(winners[target], 0u);
}
