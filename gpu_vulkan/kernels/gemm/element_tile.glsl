// A tile of a product of rows of x and columns of weights: a workgroup stages `depth` terms of either in shared memory,
// zeros where they reach over the edge, and each invocation sums rows_each x columns_each elements, in chunks of
// `depth` terms. The includer has the numbers of element.glsl, and says what stands on either side and what becomes of
// a sum.
#ifndef PLUMB_ELEMENT_TILE_GLSL
#define PLUMB_ELEMENT_TILE_GLSL

#extension GL_EXT_control_flow_attributes : require

#include "gpu_vulkan/kernels/common/element_constants.glsl"

// Term at_k of a row, which counts from the tile's first, and of a column; and where a sum goes.
COMPUTED left_at(uint row, uint at_k);
COMPUTED right_at(uint column, uint at_k);
void finish(uint row, uint column, COMPUTED sum);

const uint left_pitch = rows + 1, right_pitch = columns + 1;  // the odd element keeps shared memory's banks apart
shared COMPUTED left_tile[depth * left_pitch];
shared COMPUTED right_tile[depth * right_pitch];

const uint across = columns / columns_each, down = rows / rows_each, each = rows_each * columns_each;

// Stages terms from at_k on. `along_k`: neighbours in memory are terms of a column, not columns of a term.
void stage(uint height, uint column, uint n, uint at_k, uint k, bool along_k) {
  for (uint i = gl_LocalInvocationID.x; i < rows * depth; i += gl_WorkGroupSize.x) {
    const uint r = i / depth, t = i % depth;
    COMPUTED term = COMPUTED(0);
    if (r < height && at_k + t < k) term = left_at(r, at_k + t);
    left_tile[t * left_pitch + r] = term;
  }
  for (uint i = gl_LocalInvocationID.x; i < columns * depth; i += gl_WorkGroupSize.x) {
    const uint c = along_k ? i / depth : i % columns, t = along_k ? i % depth : i / columns;
    COMPUTED term = COMPUTED(0);
    if (column + c < n && at_k + t < k) term = right_at(column + c, at_k + t);
    right_tile[t * right_pitch + c] = term;
  }
}

// Sums k terms of `height` rows and of the columns from `column` on, of n.
void sum_tile(uint height, uint column, uint n, uint k, bool along_k) {
  const uint my_row = gl_LocalInvocationID.x / across, my_column = gl_LocalInvocationID.x % across;
  COMPUTED sums[each], chunk[each];
  [[unroll]] for (uint e = 0; e < each; ++e) sums[e] = COMPUTED(0);
  for (uint at_k = 0; at_k < k; at_k += depth) {
    stage(height, column, n, at_k, k, along_k);
    barrier();
    [[unroll]] for (uint e = 0; e < each; ++e) chunk[e] = COMPUTED(0);
    for (uint t = 0; t < depth; ++t) {
      COMPUTED left[rows_each], right[columns_each];
      const uint of_left = t * left_pitch + my_row, of_right = t * right_pitch + my_column;
      [[unroll]] for (uint i = 0; i < rows_each; ++i) left[i] = left_tile[of_left + i * down];
      [[unroll]] for (uint j = 0; j < columns_each; ++j) right[j] = right_tile[of_right + j * across];
      [[unroll]] for (uint e = 0; e < each; ++e) chunk[e] += left[e / columns_each] * right[e % columns_each];
    }
    [[unroll]] for (uint e = 0; e < each; ++e) sums[e] += chunk[e];
    barrier();
  }
  [[unroll]] for (uint e = 0; e < each; ++e) {
    const uint r = my_row + e / columns_each * down, c = column + my_column + e % columns_each * across;
    if (r < height && c < n) finish(r, c, sums[e]);
  }
}

#endif
