// A tile of sums of products of codes, which wrap modulo 2^32: a workgroup stages `depth` columns of its rows on the
// left and rows of its columns on the right in shared memory, 0 beyond the edges, and each invocation sums rows_each x
// columns_each elements. The includer says what stands on either side and what becomes of a sum.
#ifndef PLUMB_CODE_TILES_GLSL
#define PLUMB_CODE_TILES_GLSL

#extension GL_EXT_control_flow_attributes : require
#include "gpu_vulkan/glsl/index.glsl"

#include "gpu_vulkan/kernels/common/element_constants.glsl"

// Bits of the pushed flags: what the dtypes of codes are, and which operands there are.
const uint LEFT_SIGNED = 1u, RIGHT_SIGNED = 2u, Y_SIGNED = 4u, HAS_LEFT_ZERO = 8u, HAS_RIGHT_ZERO = 16u, HAS_BIAS = 32u;
const uint SCALES_F16 = 64u, SCALES_BF16 = 128u;

// Number i of the codes whose word it is in: buffers of codes are read by words, so that a device needs no 8-bit loads.
int code_of(uint word, uint i, bool is_signed) {
  const int at = int(i & 3u) * 8;
  return is_signed ? bitfieldExtract(int(word), at, 8) : int(bitfieldExtract(word, at, 8));
}

// Codes less their zero points, of elements that there are, and where a sum goes.
int left_at(uint row, uint k);
int right_at(uint k, uint column);
void finish(uint row, uint column, int sum);

const uint left_pitch = rows + 1u, right_pitch = columns + 1u;  // the odd element keeps shared memory's banks apart
// llvmpipe ends all loops of an invocation after 65535 rounds in all: in so few all tiles sum 80,000 terms.
const uint unrolled = 4u;

shared int left_tile[depth * left_pitch];
shared int right_tile[depth * right_pitch];

const uint across = columns / columns_each, down = rows / rows_each, each = rows_each * columns_each;

uint tiles_across(uint n) { return (n + columns - 1u) / columns; }
uint tiles_of(uint m, uint n) { return (m + rows - 1u) / rows * tiles_across(n); }

// Sums the elements of tile `tile` of an m x n product of k terms.
void sum_tile(uint tile, uint m, uint n, uint k) {
  const uint row = tile / tiles_across(n) * rows, column = tile % tiles_across(n) * columns;
  const uint my_row = gl_LocalInvocationID.x / across, my_column = gl_LocalInvocationID.x % across;
  int sums[each];
  [[unroll]] for (uint e = 0u; e < each; ++e) sums[e] = 0;
  for (uint at_k = 0u; at_k < k; at_k += depth) {
    for (uint i = gl_LocalInvocationID.x; i < rows * depth; i += gl_WorkGroupSize.x) {
      const uint r = i / depth, t = i % depth;
      left_tile[t * left_pitch + r] = row + r < m && at_k + t < k ? left_at(row + r, at_k + t) : 0;
    }
    for (uint i = gl_LocalInvocationID.x; i < columns * depth; i += gl_WorkGroupSize.x) {
      const uint c = i % columns, t = i / columns;
      right_tile[t * right_pitch + c] = column + c < n && at_k + t < k ? right_at(at_k + t, column + c) : 0;
    }
    barrier();
    for (uint step = 0u; step < depth; step += unrolled) {
      [[unroll]] for (uint s = 0u; s < unrolled; ++s) {
        const uint t = step + s;
        int left[rows_each], right[columns_each];
        [[unroll]] for (uint i = 0u; i < rows_each; ++i) left[i] = left_tile[t * left_pitch + my_row + i * down];
        const uint from = t * right_pitch + my_column;
        [[unroll]] for (uint j = 0u; j < columns_each; ++j) right[j] = right_tile[from + j * across];
        [[unroll]] for (uint e = 0u; e < each; ++e) sums[e] += left[e / columns_each] * right[e % columns_each];
      }
    }
    barrier();
  }
  [[unroll]] for (uint e = 0u; e < each; ++e) {
    const uint r = row + my_row + e / columns_each * down, c = column + my_column + e % columns_each * across;
    if (r < m && c < n) finish(r, c, sums[e]);
  }
}

#endif
