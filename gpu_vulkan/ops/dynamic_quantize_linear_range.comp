#version 450
// The least and the greatest element of a stretch, and 0: NaN where one is there.
// variants: f32 f16 bf16 f64
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/glsl/element.glsl"
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/glsl/specials_kept.glsl"

layout(local_size_x_id = 0) in;

layout(set = 0, binding = 0) readonly buffer X { STORED x[]; };
layout(set = 0, binding = 1) writeonly buffer Ends { COMPUTED ends[]; };  // least and greatest of each stretch
layout(push_constant) uniform Block { uint count, stretch; };

#include "gpu_vulkan/kernels/rows/ends.glsl"

void main() {
  const uint number = group_index(), local = gl_LocalInvocationID.x, begin = number * stretch;
  if (begin >= count) return;
  const uint end = begin + min(stretch, count - begin);
  COMPUTED low = COMPUTED(0), high = COMPUTED(0);
  for (uint i = begin + local; i < end; i += gl_WorkGroupSize.x) {
    const COMPUTED value = load(x[i]);
    low = minimum(low, value);
    high = maximum(high, value);
  }
  join_ends(low, high);
  if (local == 0u) {
    ends[2u * number] = lowest[0];
    ends[2u * number + 1u] = highest[0];
  }
}
