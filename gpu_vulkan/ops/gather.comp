#version 450
// variants: w1 w2 w4 w8 w16
// Each invocation copies one word of y[a, i, b] = x[a, indices[i], b]; negative indices
// count from the end of the axis.
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/glsl/divide.glsl"
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/glsl/word.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint index_words = 1;  // 32-bit words per index

layout(set = 0, binding = 0) readonly buffer X { WORD x[]; };
layout(set = 0, binding = 1) readonly buffer Indices { uint indices[]; };
layout(set = 0, binding = 2) writeonly buffer Y { WORD y[]; };
#define FAULTS_BINDING 3
#include "gpu_vulkan/glsl/faults.glsl"
layout(push_constant) uniform Block {
  uint words;   // words of y
  uint inner;   // words of a row
  uint count;   // indices
  uint extent;  // rows of x for every a
  uvec2 by_inner, by_count;
  uint node;
};
#include "gpu_vulkan/kernels/indexing/indices.glsl"

void main() {
  const uint at = invocation_index();
  if (at >= words) return;
  const uint row = divide(at, by_inner), outer = divide(row, by_count), i = row - outer * count;
  uint taken;
  if (find_position(i, extent, taken)) y[at] = x[(outer * extent + taken) * inner + (at - row * inner)];
}
