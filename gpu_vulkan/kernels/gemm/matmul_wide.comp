#version 450
// y = alpha a b + beta c for f32 operands of which every line and matrix begins at a multiple of 4 elements and ends at
// one, so that four are read at a time. A workgroup stages tiles of a and b in shared memory, term by term; each
// invocation adds up groups_m x groups_n blocks of 4 x 4 elements of y. While one tile is multiplied the next is on its
// way in registers. What addresses depend on may be constant.
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
layout(constant_id = 7) const uint TERMS = 0;  // k, and the lines that follow; 0: as pushed
layout(constant_id = 8) const uint A_LINE = 0;
layout(constant_id = 9) const uint B_LINE = 0;
layout(constant_id = 10) const bool whole = false;  // no tile reaches beyond the terms
#define TRANSPOSED TRANSPOSED_OPERANDS
#include "gpu_vulkan/kernels/gemm/product.glsl"
uint terms() { return TERMS != 0u ? TERMS : k; }
uint line_of_a() { return TERMS != 0u ? A_LINE : a_line; }
uint line_of_b() { return TERMS != 0u ? B_LINE : b_line; }

layout(set = 0, binding = 0) readonly buffer A { vec4 a[]; };
layout(set = 0, binding = 1) readonly buffer B { vec4 b[]; };
layout(set = 0, binding = 2) readonly buffer C { float c[]; };
layout(set = 0, binding = 3) writeonly buffer Y { float y[]; };
layout(set = 0, binding = 3) writeonly buffer WideY { vec4 wide_y[]; };

const uint across = columns / (4u * groups_n), down = rows / (4u * groups_m), invocations = across * down;
const bool transpose_a = (TRANSPOSED & TRANSPOSE_A) != 0u, transpose_b = (TRANSPOSED & TRANSPOSE_B) != 0u;
// A line of a tile holds one term; 4 elements more keep shared memory's banks apart.
const uint a_pitch = rows + 4u, b_pitch = columns + 4u;
shared vec4 a_tile[depth * a_pitch / 4];
shared vec4 b_tile[depth * b_pitch / 4];

// Pieces of 4 neighbours: of a tile's line of the operand in memory, which lies along the terms or across them.
const uint a_pieces = (transpose_a ? rows : depth) / 4u, b_pieces = (transpose_b ? depth : columns) / 4u;
const uint a_each = rows * depth / 4u / invocations, b_each = columns * depth / 4u / invocations;
vec4 fetched_a[a_each], fetched_b[b_each];
uint a_start[a_each], b_start[b_each];

// Lines and positions beyond the rows or columns are those of the last: nobody reads their sums.
uint a_begin(uint first, uint row, uint piece) {
  const uint line = piece / a_pieces, along = piece % a_pieces * 4u;
  if (!transpose_a) return (first + min(row + line, m - 1u) * line_of_a() + along) / 4u;
  return (first + line * line_of_a() + min(row + along, m - 4u)) / 4u;
}
uint b_begin(uint first, uint column, uint piece) {
  const uint line = piece / b_pieces, along = piece % b_pieces * 4u;
  if (transpose_b) return (first + min(column + line, n - 1u) * line_of_b() + along) / 4u;
  return (first + line * line_of_b() + min(column + along, n - 4u)) / 4u;
}

void fetch(uint step) {
  [[unroll]] for (uint i = 0; i < a_each; ++i) {
    const uint piece = gl_LocalInvocationID.x + i * invocations;
    const uint term = step * depth + (transpose_a ? piece / a_pieces : piece % a_pieces * 4u);
    if (whole || term < terms()) fetched_a[i] = a[a_start[i] + step * (depth / 4u) * (transpose_a ? line_of_a() : 1u)];
    else fetched_a[i] = vec4(0.0);
  }
  [[unroll]] for (uint i = 0; i < b_each; ++i) {
    const uint piece = gl_LocalInvocationID.x + i * invocations;
    const uint term = step * depth + (transpose_b ? piece % b_pieces * 4u : piece / b_pieces);
    if (whole || term < terms()) fetched_b[i] = b[b_start[i] + step * (depth / 4u) * (transpose_b ? 1u : line_of_b())];
    else fetched_b[i] = vec4(0.0);
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

vec4 sums[groups_m * 4u * groups_n];

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
          sums[e] = fma(vec4(left[i][r]), right[j], sums[e]);
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
  [[unroll]] for (uint e = 0; e < groups_m * 4u * groups_n; ++e) sums[e] = vec4(0.0);
  fetch(0);
  stage();
  barrier();
  for (uint step = 1; step < (terms() + depth - 1u) / depth; ++step) {
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
        const vec4 value = finished(sums[(i * 4u + q) * groups_n + j], r, s);
        const uint at = (index * m + r) * n + s;
        if (n % 4u == 0u) wide_y[at / 4u] = value;
        else [[unroll]] for (uint e = 0; e < 4u; ++e) if (s + e < n) y[at + e] = value[e];
      }
}
