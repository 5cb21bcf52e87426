#version 450
// y = alpha a b + beta c where y is a row, a few rows or a column: a matrix times a few vectors, all read 16 bytes at
// a time. Where the matrix's lines are the sums, the numbers of a piece are terms of one element of y, else of as many
// neighbouring elements. A workgroup has `across` lines or pieces of lines, each read by `lanes` invocations, which
// take eight pieces at once: every lanes-th of a line, or those of eight neighbouring lines.
// One that is _kept has conversions that keep subnormal numbers.
// variants: f32 f16 bf16 f16_f32 bf16_f32 f16_kept f16_f32_kept
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#if defined(VARIANT_f16_kept) || defined(VARIANT_f16_f32_kept)
#extension GL_EXT_spirv_intrinsics : require
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4464], 4459, 16);  // DenormPreserve
#define KEPT 1
#if defined(VARIANT_f16_kept)
#define VARIANT_f16 1
#else
#define VARIANT_f16_f32 1
#endif
#endif
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/kernels/gemm/gemm_element.glsl"

layout(local_size_x_id = 0) in;  // across x lanes
layout(constant_id = 1) const uint across = 2;
layout(constant_id = 2) const uint lanes = 64;
layout(constant_id = 3) const bool by_lines = true;
layout(constant_id = 4) const uint vectors = 1;  // as many as y has rows, or more
layout(constant_id = 5) const uint subgroup_size = 32;
layout(constant_id = 6) const bool vectors_aligned = false;  // not by_lines: read by eights, without a tail
layout(constant_id = 7) const bool is_column = false;  // y is; the matrix is a, the vector b
#include "gpu_vulkan/kernels/gemm/gemm.glsl"
#include "gpu_vulkan/kernels/gemm/gemm_operands.glsl"

layout(set = 0, binding = 0) readonly buffer AVec4 { uvec4 a_vec4[]; };
layout(set = 0, binding = 1) readonly buffer BVec4 { uvec4 b_vec4[]; };

#ifdef VARIANT_f32
const uint width = 4u;
float number(uvec4 piece, uint i) { return uintBitsToFloat(piece[i]); }
#else
const uint width = 8u;
#ifdef KEPT
float number(uvec4 piece, uint i) { return unpackHalf2x16(piece[i / 2u])[i % 2u]; }
#else
float number(uvec4 piece, uint i) { return load(STORED(piece[i / 2u] >> i % 2u * 16u & 0xFFFFu)); }
#endif
#endif

const uint at_once = 8u;
// Lanes that share a subgroup add up what they have by shuffles, the others' sums meet in shared memory.
const uint together = by_lines ? (lanes < subgroup_size ? lanes : subgroup_size)
                               : (across < subgroup_size ? subgroup_size / across : 1u);
const uint parts = lanes / together, numbers = by_lines ? 1u : width, sums_of_row = across * numbers;
shared float partial[parts * vectors * sums_of_row];
float sums[vectors * width];

uvec4 piece_of_matrix(uint at) {
  if (is_column) return a_vec4[at];
  return b_vec4[at];
}
uvec4 piece_of_vectors(uint at) {
  if (is_column) return b_vec4[at];
  return a_vec4[at];
}
float number_of_vectors(uint at) {
  if (is_column) return load(b[at]);
  return load(a[at]);
}

/// From one vector to the next, all but the last, which stands for those that there are not.
uint vector_line(uint v) { return is_column ? 0u : min(v, m - 1u) * lda; }

/// Terms of a line: every lanes-th piece from `t` on.
void add_pieces_of_line(uint line, uint first, uint t) {
  const uint steps = k / width;
  uvec4 pieces[at_once];
  [[unroll]] for (uint u = 0; u < at_once; ++u) pieces[u] = piece_of_matrix(line + min(t + u * lanes, steps - 1u));
  [[unroll]] for (uint u = 0; u < at_once; ++u) {
    const uint at = min(t + u * lanes, steps - 1u);
    const bool counts = t + u * lanes < steps;
    [[unroll]] for (uint v = 0; v < vectors; ++v) {
      const uvec4 factors = piece_of_vectors((first + vector_line(v)) / width + at);
      [[unroll]] for (uint i = 0; i < width; ++i) {
        const float term = number(pieces[u], i) * number(factors, i);
        sums[v * width + i] += counts ? term : 0.0;
      }
    }
  }
}

/// One piece of each of the eight lines from `t` on, by as many numbers of each vector.
void add_lines_of_piece(uint column, uint line, uint first, uint t) {
  uvec4 pieces[at_once];
  [[unroll]] for (uint u = 0; u < at_once; ++u)
    pieces[u] = piece_of_matrix(column + (vectors_aligned ? t + u : min(t + u, k - 1u)) * line);
  [[unroll]] for (uint v = 0; v < vectors; ++v)
    [[unroll]] for (uint j = 0; j < at_once / width; ++j) {
      const uint from = first + vector_line(v) + t + j * width;
      const uvec4 factors = vectors_aligned ? piece_of_vectors(from / width) : uvec4(0u);
      [[unroll]] for (uint u = 0; u < width; ++u) {
        const uint at = t + j * width + u;
        const float factor = vectors_aligned ? number(factors, u) : number_of_vectors(from + min(u, k - 1u - (at - u)));
        [[unroll]] for (uint i = 0; i < width; ++i) {
          const float term = number(pieces[j * width + u], i) * factor;
          sums[v * width + i] += vectors_aligned || at < k ? term : 0.0;
        }
      }
    }
}

void main() {
  const uint count = is_column ? m : n, each = by_lines ? across : across * width;
  const uint groups = (count + each - 1u) / each, index = group_index() / groups;
  if (index >= batches) return;
  // Neighbouring invocations read neighbouring pieces.
  const uint me = gl_SubgroupID * subgroup_size + gl_SubgroupInvocationID;
  const uint lane = by_lines ? me % lanes : me / across, mine = by_lines ? me / lanes : me % across;
  const uint begin = group_index() % groups * each, element = begin + (by_lines ? mine : mine * width);
  const uvec2 first = operands_of(index);
  const uint matrix = is_column ? first.x : first.y, vector = is_column ? first.y : first.x;
  const uint line = is_column ? lda : ldb;

  [[unroll]] for (uint e = 0; e < vectors * width; ++e) sums[e] = 0.0;
  if (element < count) {
    if (by_lines)
      for (uint t = lane; t < k / width; t += lanes * at_once)
        add_pieces_of_line((matrix + element * line) / width, vector, t);
    else
      for (uint t = lane * at_once; t < k; t += lanes * at_once)
        add_lines_of_piece((matrix + element) / width, line / width, vector, t);
  }
  if (by_lines)
    [[unroll]] for (uint v = 0; v < vectors; ++v)
      [[unroll]] for (uint i = 1; i < width; ++i) sums[v * width] += sums[v * width + i];

  const uint nearest = by_lines ? 1u : across;  // lane in the subgroup
  [[unroll]] for (uint apart = 1u; apart < together; apart *= 2u)
    [[unroll]] for (uint v = 0; v < vectors; ++v)
      [[unroll]] for (uint i = 0; i < numbers; ++i)
        sums[v * width + i] += subgroupShuffleXor(sums[v * width + i], apart * nearest);
  if (lane % together == 0u)
    [[unroll]] for (uint v = 0; v < vectors; ++v)
      [[unroll]] for (uint i = 0; i < numbers; ++i)
        partial[(lane / together * vectors + v) * sums_of_row + mine * numbers + i] = sums[v * width + i];
  barrier();
  for (uint e = me; e < vectors * sums_of_row; e += across * lanes) {
    const uint v = e / sums_of_row, at = begin + e % sums_of_row;
    if (at >= count || (!is_column && v >= m)) continue;
    float sum = 0.0;
    for (uint part = 0; part < parts; ++part) sum += partial[part * vectors * sums_of_row + e];
    const uint row = is_column ? at : v, column = is_column ? 0u : at;
    y[(index * m + row) * n + column] = rounded(finished(sum, row, column));
  }
}
