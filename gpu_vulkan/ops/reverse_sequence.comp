#version 450
// variants: w1 w2 w4 w8 w16
// Each invocation moves one word to its place from the other end of its sequence.
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/glsl/divide.glsl"
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/glsl/word.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint index_words = 1;

layout(set = 0, binding = 0) readonly buffer X { WORD x[]; };
layout(set = 0, binding = 1) readonly buffer Lengths { uint indices[]; };
layout(set = 0, binding = 2) writeonly buffer Y { WORD y[]; };
layout(push_constant) uniform Block {
  uint count, node;
  uint time_extent, time_inner;
  uvec2 by_time, by_time_inner;
  uint batch_extent, batch_inner;
  uvec2 by_batch, by_batch_inner;
};
#define FAULTS_BINDING 3
#include "gpu_vulkan/glsl/faults.glsl"
#include "gpu_vulkan/glsl/wide_index.glsl"

void main() {
  const uint at = invocation_index();
  if (at >= count) return;
  const uint row = divide(at, by_time_inner), t = row - divide(row, by_time) * time_extent;
  const uint sequence = divide(at, by_batch_inner), b = sequence - divide(sequence, by_batch) * batch_extent;
  const uvec2 length = wide_index(b, index_words);
  if (length.y != 0u || length.x > time_extent) {
    fault(node, b, length);
    return;
  }
  y[at] = x[t < length.x ? at + (length.x - 1u - 2u * t) * time_inner : at];
}
