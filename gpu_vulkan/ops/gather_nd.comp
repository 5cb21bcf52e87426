#version 450
// variants: w1 w2 w4 w8 w16
// Each invocation copies one word of the slice of x that a tuple of indices means.
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/glsl/word.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint index_words = 1;
layout(constant_id = 2) const uint tuple_length = 1;

layout(set = 0, binding = 0) readonly buffer X { WORD x[]; };
layout(set = 0, binding = 1) readonly buffer Indices { uint indices[]; };
layout(set = 0, binding = 2) writeonly buffer Y { WORD y[]; };
#define FAULTS_BINDING 3
#include "gpu_vulkan/glsl/faults.glsl"
layout(push_constant) uniform Block {
  uvec2 by_in_batch;
  uint of_x;
  uint node;
  uint extents[8], strides[8];
  uint words;  // words of y
  uint inner;  // words per slice
  uint inner_multiplier, inner_shift;
};
#include "gpu_vulkan/kernels/indexing/index_tuples.glsl"

void main() {
  const uint at = invocation_index();
  if (at >= words) return;
  const uint tuple = divide(at, inner_multiplier, inner_shift);
  uint slice;
  if (find_slice(tuple, slice)) y[at] = x[slice * inner + (at - tuple * inner)];
}
