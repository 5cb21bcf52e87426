#version 450
// y = alpha a b + beta c where y is a row or a column: the elements of y are `count` sums over k.
// A workgroup computes `elements` of them, each by `lanes` invocations that take every lanes-th
// term, and adds the lanes up in shared memory. Neighbouring invocations read neighbouring
// numbers: of one line of the matrix, or of as many lines as there are elements.
// variants: f32 f16 bf16 f16_f32 bf16_f32 f64 i32 u32 i64 c64 c128
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/kernels/gemm/gemm_element.glsl"

layout(local_size_x_id = 0) in;  // elements x lanes
layout(constant_id = 1) const uint elements = 2;
layout(constant_id = 2) const uint lanes = 64;  // a power of two
layout(constant_id = 3) const bool lanes_first = true;
#include "gpu_vulkan/kernels/gemm/gemm.glsl"
#include "gpu_vulkan/kernels/gemm/gemm_operands.glsl"

shared COMPUTED partial[elements * lanes];

void main() {
  const uint count = max(m, n), groups = (count + elements - 1) / elements;
  const uint index = group_index() / groups;
  if (index >= batches) return;
  const uint lane = lanes_first ? gl_LocalInvocationID.x % lanes : gl_LocalInvocationID.x / elements;
  const uint mine = lanes_first ? gl_LocalInvocationID.x / lanes : gl_LocalInvocationID.x % elements;
  const uint element = group_index() % groups * elements + mine;
  const uint row = n == 1u ? element : 0u, column = n == 1u ? 0u : element;
  const uvec2 first = operands_of(index);

  COMPUTED sum = COMPUTED(0), chunk = COMPUTED(0);
  if (element < count)
    for (uint t = lane, terms = 1; t < k; t += lanes, ++terms) {
      chunk += product(load(a[first.x + position_in_a(row, t)]), load(b[first.y + position_in_b(t, column)]));
      if (terms % 256 == 0) {
        sum += chunk;
        chunk = COMPUTED(0);
      }
    }
  partial[mine * lanes + lane] = sum + chunk;
  for (uint upper = lanes / 2; upper > 0; upper /= 2) {
    barrier();
    if (lane < upper) partial[mine * lanes + lane] += partial[mine * lanes + lane + upper];
  }
  if (lane == 0 && element < count)
    y[index * count + element] = rounded(finished(partial[mine * lanes], row, column));
}
