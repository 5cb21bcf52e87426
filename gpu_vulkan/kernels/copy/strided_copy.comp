#version 450
// variants: w1 w2 w4 w8 w16
// Copies elements along strides (ir/kernels/strided_copy.hpp). Element n of the copy, counted
// row-major over its axes, has the position n / extent[last] = q[last-1] on the axes
// before the last, q[last-1] / extent[last-1] = q[last-2] on those before, and so on;
// with q[last] = n its multi-index is q[k] - q[k-1]·extent[k], so that
//   Σ j[k]·stride[k] = Σ q[k]·(stride[k] - extent[k+1]·stride[k+1]) = Σ q[k]·step[k]
// Negative steps wrap, and so does what they are added to.
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/glsl/divide.glsl"
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/glsl/word.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint axes = 1;
layout(constant_id = 2) const uint each = 1;  // elements an invocation copies

layout(set = 0, binding = 0) readonly buffer X { WORD x[]; };
layout(set = 0, binding = 1) writeonly buffer Y { WORD y[]; };
layout(push_constant) uniform Block {
  uint count, first_from, first_to;
  uint multipliers[7];  // division by the extents of axes 1 to 7
  uint shifts[2];       // a byte each
  uint from_steps[8], to_steps[8];
};

void main() {
  const uint start = group_index() * gl_WorkGroupSize.x * each + gl_LocalInvocationID.x;
  uint to[each];
  HELD held[each];  // all loads are under way before the first store waits for one
  for (uint e = 0; e < each; ++e) {
    uint q = start + e * gl_WorkGroupSize.x;
    if (q >= count) break;
    uint from = first_from + q * from_steps[axes - 1u];
    to[e] = first_to + q * to_steps[axes - 1u];
    for (uint k = axes - 1u; k > 0u; --k) {
      q = divide(q, multipliers[k - 1u], bitfieldExtract(shifts[(k - 1u) / 4u], int((k - 1u) % 4u) * 8, 8));
      from += q * from_steps[k - 1u];
      to[e] += q * to_steps[k - 1u];
    }
    held[e] = HELD(x[from]);
  }
  for (uint e = 0; e < each; ++e)
    if (start + e * gl_WorkGroupSize.x < count) y[to[e]] = WORD(held[e]);
}
