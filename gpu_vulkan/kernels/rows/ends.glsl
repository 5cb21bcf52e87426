// The least and the greatest of what the invocations of a workgroup have; NaN where one has that. The includer has
// COMPUTED, and local_size_x, a power of two.
#ifndef PLUMB_ENDS_GLSL
#define PLUMB_ENDS_GLSL

#include "gpu_vulkan/glsl/arithmetic.glsl"

shared COMPUTED lowest[gl_WorkGroupSize.x], highest[gl_WorkGroupSize.x];

/// Leaves them in lowest[0] and highest[0], which the first invocation may read.
void join_ends(COMPUTED low, COMPUTED high) {
  const uint local = gl_LocalInvocationID.x;
  lowest[local] = low;
  highest[local] = high;
  for (uint half_way = gl_WorkGroupSize.x / 2u; half_way > 0u; half_way /= 2u) {
    barrier();
    if (local < half_way) {
      lowest[local] = minimum(lowest[local], lowest[local + half_way]);
      highest[local] = maximum(highest[local], highest[local + half_way]);
    }
  }
}

#endif
