#version 450
// variants: w1 w2 w4 w8 w16
// Each invocation copies one element of y[.. i ..] = x[.. indices[.. i ..] at the axis ..].
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/glsl/word.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint index_words = 1;
layout(constant_id = 2) const uint axes = 1;

layout(set = 0, binding = 0) readonly buffer X { WORD x[]; };
layout(set = 0, binding = 1) readonly buffer Indices { uint indices[]; };
layout(set = 0, binding = 2) writeonly buffer Y { WORD y[]; };
#define FAULTS_BINDING 3
#include "gpu_vulkan/glsl/faults.glsl"
#include "gpu_vulkan/kernels/indexing/indexed_elements.glsl"
#include "gpu_vulkan/kernels/indexing/indices.glsl"

void main() {
  const uint i = invocation_index();
  uint position;
  if (i >= count || !find_position(i, extent, position)) return;
  y[i] = x[line_start(i) + position * stride];
}
