#version 450
// variants: w1 w2 w4 w8 w16
// y[a, i, b] = x[a, indices[i], b] where b is long: a workgroup copies a stretch of one row. The first stretch of
// every row comes before any second one, so that a row that is taken twice comes from the cache the second time.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "gpu_vulkan/glsl/divide.glsl"
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/glsl/word.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint index_words = 1;  // 32-bit words per index
layout(constant_id = 2) const uint each = 1;         // words that an invocation copies, at most 2

layout(set = 0, binding = 0) readonly buffer X { WORD x[]; };
layout(set = 0, binding = 1) readonly buffer Indices { uint indices[]; };
layout(set = 0, binding = 2) writeonly buffer Y { WORD y[]; };
#define FAULTS_BINDING 3
#include "gpu_vulkan/glsl/faults.glsl"
layout(push_constant) uniform Block {
  uint rows;    // rows of y
  uint inner;   // words of a row
  uint count;   // indices
  uint extent;  // rows of x for every a
  uvec2 by_rows, by_count;
  uint node;
};
#include "gpu_vulkan/kernels/indexing/indices.glsl"

void main() {
  const uint threads = gl_WorkGroupSize.x, stretch = divide(group_index(), by_rows),
             row = group_index() - stretch * rows, outer = divide(row, by_count);
  const uint first = stretch * threads * each + gl_LocalInvocationID.x;
  uint taken;
  if (first >= inner || !find_position(row - outer * count, extent, taken)) return;
  const uint from = (outer * extent + taken) * inner, to = row * inner;
  HELD words[2];
  [[unroll]] for (uint k = 0; k < each; ++k)
    if (first + k * threads < inner) words[k] = HELD(x[from + first + k * threads]);
  [[unroll]] for (uint k = 0; k < each; ++k)
    if (first + k * threads < inner) y[to + first + k * threads] = WORD(words[k]);
}
