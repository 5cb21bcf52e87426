#version 450
// variants: w1 w2 w4 w8 w16
// Each invocation makes one element: on where its place in the line is the index, else off.
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/glsl/divide.glsl"
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/glsl/word.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint index_words = 1;

layout(set = 0, binding = 0) readonly buffer Indices { uint indices[]; };
layout(set = 0, binding = 1) readonly buffer Values { WORD values[]; };  // off, on
layout(set = 0, binding = 2) writeonly buffer Y { WORD y[]; };
layout(push_constant) uniform Block {
  uvec2 by_depth, by_inner;
  uint count, depth, inner;
};
#include "gpu_vulkan/glsl/wide_index.glsl"

void main() {
  const uint at = invocation_index();
  if (at >= count) return;
  const uint row = divide(at, by_inner), outer = divide(row, by_depth), k = row - outer * depth;
  const uvec2 index = wide_index(outer * inner + (at - row * inner), index_words);
  const bool is_on = index == uvec2(k, 0u) || index == uvec2(k - depth, 0xFFFFFFFFu);
  y[at] = values[is_on ? 1 : 0];
}
