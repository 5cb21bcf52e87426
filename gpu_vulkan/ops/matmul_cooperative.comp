#version 450
// y = alpha a b + beta c for f16 operands, summed in f32 by cooperative matrices of M x K by K x N. A workgroup stages
// tiles of a and b in shared memory, zeros where they reach over the edge; each of its subgroups computes
// each_m x each_n matrices of y, in chunks of 128 terms: the units may truncate where they add.
// variants: f16 f16_f32
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#pragma use_vulkan_memory_model
#include "index.glsl"
#include "round16.glsl"

#ifdef VARIANT_f16_f32
#define RESULT float
RESULT rounded(float x) { return x; }
#else
#define RESULT uint16_t
RESULT rounded(float x) { return uint16_t(f16_from_float(x)); }
#endif

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint M = 16;
layout(constant_id = 2) const uint N = 16;
layout(constant_id = 3) const uint K = 16;
layout(constant_id = 4) const uint subgroups_m = 2;
layout(constant_id = 5) const uint subgroups_n = 2;
layout(constant_id = 6) const uint each_m = 2;
layout(constant_id = 7) const uint each_n = 2;
layout(constant_id = 8) const uint deep = 2;
layout(constant_id = 9) const uint TRANSPOSED_OPERANDS = 0;
#define TRANSPOSED TRANSPOSED_OPERANDS
#include "product.glsl"

layout(set = 0, binding = 0) readonly buffer A { float16_t a[]; };
layout(set = 0, binding = 1) readonly buffer B { float16_t b[]; };
layout(set = 0, binding = 2) readonly buffer C { uint16_t c[]; };
layout(set = 0, binding = 3) writeonly buffer Y { RESULT y[]; };

const bool transpose_a = (TRANSPOSED & TRANSPOSE_A) != 0u, transpose_b = (TRANSPOSED & TRANSPOSE_B) != 0u;
const uint rows = subgroups_m * each_m * M, columns = subgroups_n * each_n * N, depth = deep * K;
// A line of a tile is a line of the operand in memory, and 8 elements more that keep shared memory's banks apart.
const uint a_lines = transpose_a ? depth : rows, a_length = transpose_a ? rows : depth, a_pitch = a_length + 8;
const uint b_lines = transpose_b ? columns : depth, b_length = transpose_b ? depth : columns, b_pitch = b_length + 8;
shared float16_t a_tile[a_lines * a_pitch];
shared float16_t b_tile[b_lines * b_pitch];
shared float matrices[subgroups_m * subgroups_n * M * N];

void stage(uvec2 first, uint row, uint column, uint term) {
  for (uint i = gl_LocalInvocationID.x; i < a_lines * a_length; i += gl_WorkGroupSize.x) {
    const uint r = row + (transpose_a ? i % a_length : i / a_length);
    const uint t = term + (transpose_a ? i / a_length : i % a_length);
    float16_t x = float16_t(0);
    if (r < m && t < k) x = a[first.x + position_in_a(r, t)];
    a_tile[i / a_length * a_pitch + i % a_length] = x;
  }
  for (uint i = gl_LocalInvocationID.x; i < b_lines * b_length; i += gl_WorkGroupSize.x) {
    const uint s = column + (transpose_b ? i / b_length : i % b_length);
    const uint t = term + (transpose_b ? i % b_length : i / b_length);
    float16_t x = float16_t(0);
    if (s < n && t < k) x = b[first.y + position_in_b(t, s)];
    b_tile[i / b_length * b_pitch + i % b_length] = x;
  }
}

float finished(float sum, uint row, uint column) {
  if ((flags & SCALED) != 0u) sum *= uintBitsToFloat(alpha[0]);
  if ((flags & HAS_C) != 0u) sum += uintBitsToFloat(beta[0]) * float_from_f16(uint(c[position_in_c(row, column)]));
  return sum;
}

void main() {
  const uint tiles_across = (n + columns - 1) / columns, tiles = (m + rows - 1) / rows * tiles_across;
  const uint index = group_index() / tiles, tile = group_index() % tiles;
  if (index >= batches) return;
  const uint row = tile / tiles_across * rows, column = tile % tiles_across * columns;
  const uint my_row = gl_SubgroupID / subgroups_n * each_m * M, my_column = gl_SubgroupID % subgroups_n * each_n * N;
  const uvec2 first = operands_of(index);

  coopmat<float, gl_ScopeSubgroup, M, N, gl_MatrixUseAccumulator> sums[each_m * each_n], chunk[each_m * each_n];
  [[unroll]] for (uint e = 0; e < each_m * each_n; ++e)
    sums[e] = chunk[e] = coopmat<float, gl_ScopeSubgroup, M, N, gl_MatrixUseAccumulator>(0.0);
  for (uint term = 0; term < k; term += depth) {
    stage(first, row, column, term);
    barrier();
    for (uint t = 0; t < depth; t += K) {
      coopmat<float16_t, gl_ScopeSubgroup, M, K, gl_MatrixUseA> left[each_m];
      [[unroll]] for (uint i = 0; i < each_m; ++i) {
        const uint r = my_row + i * M;
        if (transpose_a) coopMatLoad(left[i], a_tile, t * a_pitch + r, a_pitch, gl_CooperativeMatrixLayoutColumnMajor);
        else coopMatLoad(left[i], a_tile, r * a_pitch + t, a_pitch, gl_CooperativeMatrixLayoutRowMajor);
      }
      [[unroll]] for (uint j = 0; j < each_n; ++j) {
        const uint s = my_column + j * N;
        coopmat<float16_t, gl_ScopeSubgroup, K, N, gl_MatrixUseB> right;
        if (transpose_b) coopMatLoad(right, b_tile, s * b_pitch + t, b_pitch, gl_CooperativeMatrixLayoutColumnMajor);
        else coopMatLoad(right, b_tile, t * b_pitch + s, b_pitch, gl_CooperativeMatrixLayoutRowMajor);
        [[unroll]] for (uint i = 0; i < each_m; ++i)
          chunk[i * each_n + j] = coopMatMulAdd(left[i], right, chunk[i * each_n + j]);
      }
    }
    barrier();
    if ((term + depth) % 128 < depth || term + depth >= k) {
      [[unroll]] for (uint e = 0; e < each_m * each_n; ++e) {
        sums[e] += chunk[e];
        chunk[e] = coopmat<float, gl_ScopeSubgroup, M, N, gl_MatrixUseAccumulator>(0.0);
      }
    }
  }
  const uint mine = gl_SubgroupID * M * N;
  [[unroll]] for (uint e = 0; e < each_m * each_n; ++e) {
    coopMatStore(sums[e], matrices, mine, N, gl_CooperativeMatrixLayoutRowMajor);
    subgroupBarrier();
    for (uint i = gl_SubgroupInvocationID; i < M * N; i += gl_SubgroupSize) {
      const uint r = row + my_row + e / each_n * M + i / N, s = column + my_column + e % each_n * N + i % N;
      if (r < m && s < n) y[(index * m + r) * n + s] = rounded(finished(matrices[mine + i], r, s));
    }
    subgroupBarrier();
  }
}
