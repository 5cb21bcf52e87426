#version 450
// Matrix product of f32 by tiles of registers: y = alpha a b + beta c. Every row and matrix of the operands begins at a
// multiple of 4 elements and ends at one, so that all loads are of 16 bytes.
//
// A workgroup computes a tile of y; each invocation computes groups_m x groups_n blocks of 4 x 4 elements of it, which
// lie 4 * down rows and 4 * across columns apart. Here groups_m = groups_n = 2:
//
//                                columns = across * 4 * groups_n
//                               .------------------.------------------.
//                               | b_tile, depth x columns,            |  depth: one K step
//                               | in shared memory                    |
//                               '------------------+------------------'
//                     depth       4 * across
//                   .--------.  .------------------+------------------.
//                   | a_tile,|  | [4x4]            | [4x4]            |  4 * down    [4x4]: the blocks of invocation 0
//     rows =        | depth  |  |  block 0,0       |  block 0,1       |
//     down * 4 *    | x rows,|  +------------------+------------------+
//     groups_m      | shared |  | [4x4]            | [4x4]            |
//                   | memory |  |  block 1,0       |  block 1,1       |
//                   '--------'  '------------------+------------------'
//
// A K step: fetch() loads both tiles into registers while multiply() works on the tiles before them; stage() moves them
// to shared memory, one line for each position along K. multiply() is an outer product for each of these positions.
// K, lda and ldb may be specialization constants.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "gpu_vulkan/glsl/index.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint rows = 128;
layout(constant_id = 2) const uint columns = 128;
layout(constant_id = 3) const uint depth = 16;  // a multiple of 4
layout(constant_id = 4) const uint groups_m = 2;
layout(constant_id = 5) const uint groups_n = 4;
layout(constant_id = 6) const uint TRANSPOSED_OPERANDS = 0;
layout(constant_id = 7) const uint FIXED_K = 0;  // with LDA and LDB; 0: all are as pushed
layout(constant_id = 8) const uint LDA = 0;
layout(constant_id = 9) const uint LDB = 0;
layout(constant_id = 10) const bool k_aligned = false;  // K is a multiple of depth
#define TRANSPOSED TRANSPOSED_OPERANDS
#include "gpu_vulkan/kernels/gemm/gemm.glsl"
uint extent_k() { return FIXED_K != 0u ? FIXED_K : k; }
uint leading_a() { return FIXED_K != 0u ? LDA : lda; }
uint leading_b() { return FIXED_K != 0u ? LDB : ldb; }

layout(set = 0, binding = 0) readonly buffer A { vec4 a[]; };
layout(set = 0, binding = 1) readonly buffer B { vec4 b[]; };
layout(set = 0, binding = 2) readonly buffer C { float c[]; };
layout(set = 0, binding = 3) writeonly buffer Y { float y[]; };
layout(set = 0, binding = 3) writeonly buffer YVec4 { vec4 y_vec4[]; };

const uint across = columns / (4u * groups_n), down = rows / (4u * groups_m), invocations = across * down;
const bool transpose_a = (TRANSPOSED & TRANSPOSE_A) != 0u, transpose_b = (TRANSPOSED & TRANSPOSE_B) != 0u;
// A line of a tile is one position along K; 4 elements more keep shared memory's banks apart.
const uint a_pitch = rows + 4u, b_pitch = columns + 4u;
shared vec4 a_tile[depth * a_pitch / 4];
shared vec4 b_tile[depth * b_pitch / 4];

// Pieces of 4 neighbours: of a tile's line of the operand in memory, which lies along K or across it.
const uint a_pieces = (transpose_a ? rows : depth) / 4u, b_pieces = (transpose_b ? depth : columns) / 4u;
const uint a_each = rows * depth / 4u / invocations, b_each = columns * depth / 4u / invocations;
vec4 fetched_a[a_each], fetched_b[b_each];
uint a_start[a_each], b_start[b_each];

// Lines and positions beyond the rows or columns are those of the last: nobody reads their accumulators.
uint a_begin(uint first, uint row, uint piece) {
  const uint line = piece / a_pieces, along = piece % a_pieces * 4u;
  if (!transpose_a) return (first + min(row + line, m - 1u) * leading_a() + along) / 4u;
  return (first + line * leading_a() + min(row + along, m - 4u)) / 4u;
}
uint b_begin(uint first, uint column, uint piece) {
  const uint line = piece / b_pieces, along = piece % b_pieces * 4u;
  if (transpose_b) return (first + min(column + line, n - 1u) * leading_b() + along) / 4u;
  return (first + line * leading_b() + min(column + along, n - 4u)) / 4u;
}

void fetch(uint step) {
  [[unroll]] for (uint i = 0; i < a_each; ++i) {
    const uint piece = gl_LocalInvocationID.x + i * invocations;
    const uint at_k = step * depth + (transpose_a ? piece / a_pieces : piece % a_pieces * 4u);
    if (k_aligned || at_k < extent_k())
      fetched_a[i] = a[a_start[i] + step * (depth / 4u) * (transpose_a ? leading_a() : 1u)];
    else
      fetched_a[i] = vec4(0.0);
  }
  [[unroll]] for (uint i = 0; i < b_each; ++i) {
    const uint piece = gl_LocalInvocationID.x + i * invocations;
    const uint at_k = step * depth + (transpose_b ? piece % b_pieces * 4u : piece / b_pieces);
    if (k_aligned || at_k < extent_k())
      fetched_b[i] = b[b_start[i] + step * (depth / 4u) * (transpose_b ? 1u : leading_b())];
    else
      fetched_b[i] = vec4(0.0);
  }
}

void stage() {
  [[unroll]] for (uint i = 0; i < a_each; ++i) {
    const uint piece = gl_LocalInvocationID.x + i * invocations, line = piece / a_pieces, along = piece % a_pieces * 4u;
    if (transpose_a) a_tile[(line * a_pitch + along) / 4u] = fetched_a[i];
    else
      [[unroll]] for (uint j = 0; j < 4u; ++j)
        a_tile[((along + j) * a_pitch + line) / 4u][line % 4u] = fetched_a[i][j];
  }
  [[unroll]] for (uint i = 0; i < b_each; ++i) {
    const uint piece = gl_LocalInvocationID.x + i * invocations, line = piece / b_pieces, along = piece % b_pieces * 4u;
    if (!transpose_b) b_tile[(line * b_pitch + along) / 4u] = fetched_b[i];
    else
      [[unroll]] for (uint j = 0; j < 4u; ++j)
        b_tile[((along + j) * b_pitch + line) / 4u][line % 4u] = fetched_b[i][j];
  }
}

vec4 acc[groups_m * 4u * groups_n];

void multiply(uint my_row, uint my_column) {
  [[unroll]] for (uint t = 0; t < depth; ++t) {
    vec4 left[groups_m], right[groups_n];
    [[unroll]] for (uint i = 0; i < groups_m; ++i) {
      const uint at = t * a_pitch + i * 4u * down + my_row;
      left[i] = a_tile[at / 4u];
    }
    [[unroll]] for (uint j = 0; j < groups_n; ++j) {
      const uint at = t * b_pitch + j * 4u * across + my_column;
      right[j] = b_tile[at / 4u];
    }
    [[unroll]] for (uint i = 0; i < groups_m; ++i)
      [[unroll]] for (uint r = 0; r < 4u; ++r)
        [[unroll]] for (uint j = 0; j < groups_n; ++j) {
          const uint e = (i * 4u + r) * groups_n + j;
          acc[e] = fma(vec4(left[i][r]), right[j], acc[e]);
        }
  }
}

vec4 finished(vec4 sum, uint row, uint column) {
  if ((flags & SCALED) != 0u) sum *= uintBitsToFloat(alpha[0]);
  if ((flags & HAS_C) != 0u)
    [[unroll]] for (uint i = 0; i < 4u; ++i)
      sum[i] += uintBitsToFloat(beta[0]) * c[position_in_c(row, min(column + i, n - 1u))];
  return sum;
}

void main() {
  const uint tiles = (m + rows - 1u) / rows * ((n + columns - 1u) / columns), index = group_index() / tiles;
  if (index >= batches) return;
  const uvec2 begin = begin_of_tile(group_index() % tiles, rows, columns);
  const uint row = begin.x, column = begin.y;
  const uint my_row = gl_LocalInvocationID.x / across * 4u, my_column = gl_LocalInvocationID.x % across * 4u;
  const uvec2 first = operands_of(index);

  [[unroll]] for (uint i = 0; i < a_each; ++i)
    a_start[i] = a_begin(first.x, row, gl_LocalInvocationID.x + i * invocations);
  [[unroll]] for (uint i = 0; i < b_each; ++i)
    b_start[i] = b_begin(first.y, column, gl_LocalInvocationID.x + i * invocations);
  [[unroll]] for (uint e = 0; e < groups_m * 4u * groups_n; ++e) acc[e] = vec4(0.0);
  fetch(0);
  stage();
  barrier();
  for (uint step = 1; step < (extent_k() + depth - 1u) / depth; ++step) {
    fetch(step);
    multiply(my_row, my_column);
    barrier();
    stage();
    barrier();
  }
  multiply(my_row, my_column);

  [[unroll]] for (uint i = 0; i < groups_m; ++i)
    [[unroll]] for (uint q = 0; q < 4u; ++q)
      [[unroll]] for (uint j = 0; j < groups_n; ++j) {
        const uint r = row + i * 4u * down + my_row + q, s = column + j * 4u * across + my_column;
        if (r >= m || s >= n) continue;
        const vec4 value = finished(acc[(i * 4u + q) * groups_n + j], r, s);
        const uint at = (index * m + r) * n + s;
        if (n % 4u == 0u) y_vec4[at / 4u] = value;
        else [[unroll]] for (uint e = 0; e < 4u; ++e) if (s + e < n) y[at + e] = value[e];
      }
}
