#version 450
// y = alpha a b + beta c. A workgroup computes a tile of y: it stages tiles of a and b in shared memory, zeros where
// they reach over the edge, and each invocation sums rows_each x columns_each elements, in chunks of 256 along K.
// variants: f32 f16 bf16 f16_f32 bf16_f32 f64 i32 u32 i64 c64 c128
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/kernels/gemm/gemm_element.glsl"

#include "gpu_vulkan/kernels/common/element_constants.glsl"
#include "gpu_vulkan/kernels/gemm/gemm.glsl"
#include "gpu_vulkan/kernels/gemm/gemm_operands.glsl"

const uint a_pitch = rows + 1, b_pitch = columns + 1;  // the odd element keeps shared memory's banks apart
shared COMPUTED a_tile[depth * a_pitch];
shared COMPUTED b_tile[depth * b_pitch];

const uint across = columns / columns_each, down = rows / rows_each;

void stage(uvec2 first, uint row, uint column, uint at_k) {
  for (uint i = gl_LocalInvocationID.x; i < rows * depth; i += gl_WorkGroupSize.x) {
    const uint r = is_a_transposed() ? i % rows : i / depth, t = is_a_transposed() ? i / rows : i % depth;
    const bool in_bounds = row + r < m && at_k + t < k;
    a_tile[t * a_pitch + r] = in_bounds ? load(a[first.x + position_in_a(row + r, at_k + t)]) : COMPUTED(0);
  }
  for (uint i = gl_LocalInvocationID.x; i < columns * depth; i += gl_WorkGroupSize.x) {
    const uint j = is_b_transposed() ? i / depth : i % columns, t = is_b_transposed() ? i % depth : i / columns;
    const bool in_bounds = column + j < n && at_k + t < k;
    b_tile[t * b_pitch + j] = in_bounds ? load(b[first.y + position_in_b(at_k + t, column + j)]) : COMPUTED(0);
  }
}

void main() {
  const uint tiles_across = (n + columns - 1) / columns, tiles = (m + rows - 1) / rows * tiles_across;
  const uint index = group_index() / tiles, tile = group_index() % tiles;
  if (index >= batches) return;
  const uint row = tile / tiles_across * rows, column = tile % tiles_across * columns;
  const uint my_row = gl_LocalInvocationID.x / across, my_column = gl_LocalInvocationID.x % across;
  const uvec2 first = operands_of(index);

  COMPUTED sums[rows_each * columns_each], chunk[rows_each * columns_each];
  [[unroll]] for (uint e = 0; e < rows_each * columns_each; ++e) sums[e] = chunk[e] = COMPUTED(0);
  for (uint at_k = 0; at_k < k; at_k += depth) {
    stage(first, row, column, at_k);
    barrier();
    for (uint t = 0; t < depth; ++t) {
      COMPUTED left[rows_each], right[columns_each];
      [[unroll]] for (uint i = 0; i < rows_each; ++i) left[i] = a_tile[t * a_pitch + my_row + i * down];
      [[unroll]] for (uint j = 0; j < columns_each; ++j) right[j] = b_tile[t * b_pitch + my_column + j * across];
      [[unroll]] for (uint i = 0; i < rows_each; ++i)
        [[unroll]] for (uint j = 0; j < columns_each; ++j) chunk[i * columns_each + j] += product(left[i], right[j]);
    }
    barrier();
    if ((at_k / depth + 1) % (256 / depth) == 0 || at_k + depth >= k) {
      [[unroll]] for (uint e = 0; e < rows_each * columns_each; ++e) sums[e] += chunk[e], chunk[e] = COMPUTED(0);
    }
  }
  [[unroll]] for (uint i = 0; i < rows_each; ++i)
    [[unroll]] for (uint j = 0; j < columns_each; ++j) {
      const uint r = row + my_row + i * down, s = column + my_column + j * across;
      if (r < m && s < n) y[(index * m + r) * n + s] = rounded(finished(sums[i * columns_each + j], r, s));
    }
}
