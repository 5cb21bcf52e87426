#version 450
// Histograms: an invocation finds the bins of its elements by binary search among the edges.
// variants: f32 f16 bf16 f64 i32 u32 i64 i16 i8 u8 u16
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/glsl/element.glsl"
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/kernels/elementwise/compare.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint counts = 1;
layout(constant_id = 2) const bool in_shared = true;
layout(constant_id = 3) const uint index_words = 1;

layout(set = 0, binding = 0) readonly buffer X { STORED x[]; };
layout(set = 0, binding = 1) readonly buffer Edges { COMPUTED edges[]; };  // and the largest x that counts
layout(set = 0, binding = 2) buffer Y { uint y[]; };
layout(push_constant) uniform Block { uint count, each, reached, bins; };

shared uint counted[counts];

void count_in_bin_of(COMPUTED value) {
  if (!compared(LESS_EQUAL, value, edges[reached])) return;  // a NaN, too
  uint low = 0u, high = reached;  // edges below `low` are reached, those from `high` on are not
  while (low < high) {
    const uint middle = (low + high) / 2u;
    if (compared(LESS_EQUAL, edges[middle], value))
      low = middle + 1u;
    else
      high = middle;
  }
  if (low == 0u) return;
  if (in_shared)
    atomicAdd(counted[low - 1u], 1u);
  else
    atomicAdd(y[(low - 1u) * index_words], 1u);  // fewer than 2^31: the high word stays 0
}

void main() {
  const uint local = gl_LocalInvocationID.x, threads = gl_WorkGroupSize.x;
  if (in_shared) {
    for (uint bin = local; bin < bins; bin += threads) counted[bin] = 0u;
    barrier();
  }
  // Neighbours look at neighbouring elements, each of them `each` times.
  const uint start = group_index() * threads * each;
  for (uint k = 0u; k < each; ++k) {
    const uint i = start + k * threads + local;
    if (i < count) count_in_bin_of(load(x[i]));
  }
  if (in_shared) {
    barrier();
    for (uint bin = local; bin < bins; bin += threads)
      if (counted[bin] != 0u) atomicAdd(y[bin * index_words], counted[bin]);
  }
}
