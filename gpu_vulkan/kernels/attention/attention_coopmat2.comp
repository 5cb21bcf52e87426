#version 450
// Flash attention in f16 and bf16 on VK_NV_cooperative_matrix2: weights P stay in registers, where accumulators become
// A operands. A weight is two f16 or three bf16 parts, so that it loses nothing beside an f32 accumulator. Operands are
// read in pieces of 8 neighbouring elements.
//
//   workgroup: subgroups x M queries of one head
//   |            shared by its subgroups:  a block of K [keys][D] and of V [keys][Dv], keys = n_tiles x N; two of each
//   |                                      where buffers is 2
//   +- subgroup: M queries, whose rows no other subgroup has
//      +- matrices, in its registers: drawn in attention_blocks.glsl
//
//   for each block of keys, with one buffer:
//     K: registers -> shared memory;  S = Q K^T: for each n tile, for each k tile
//     where some score of the subgroup is above its row max: raise it, rescale acc
//     V: registers -> shared memory;  for each n tile: P = exp2(S - row max);  for each dv tile: acc += P V by parts
//   with two buffers, S of the next block is computed before acc += P V of this one: neither waits for the other
//   y = acc / row sum; computed anew from the operands, element by element, where v has infinities or NaNs
// variants: f16 bf16
// bfloat16: bf16
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_spirv_intrinsics : require
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_NV_cooperative_matrix2 : require
#ifndef VARIANT_bf16
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4467], 4462, 16);  // RoundingModeRTE
#endif
#pragma use_vulkan_memory_model
#include "gpu_vulkan/glsl/element.glsl"
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/glsl/math.glsl"
#include "gpu_vulkan/glsl/specials_kept.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint M = 16;
layout(constant_id = 2) const uint N = 16;
layout(constant_id = 3) const uint subgroups = 4;
layout(constant_id = 4) const uint lanes = 32;   // invocations per subgroup
layout(constant_id = 5) const uint buffers = 1;  // blocks of keys, and of values, in shared memory: 1 or 2
layout(constant_id = 6) const uint keys = 32;    // keys per block, a multiple of N
layout(constant_id = 7) const uint D = 16;
layout(constant_id = 8) const uint Dv = 16;
layout(constant_id = 9) const bool has_mask = false;
layout(constant_id = 10) const bool has_bias = false;
layout(constant_id = 11) const bool capped = false;
layout(constant_id = 12) const uint length_words = 0;
layout(constant_id = 13) const bool bias_masks = true;
layout(constant_id = 14) const bool is_scaled_product = false;  // scores are products times a scale above 0
layout(constant_id = 15) const bool has_sinks = false;
#define TAKES_SINKS 1
#include "gpu_vulkan/kernels/attention/attention.glsl"

const uint rows = subgroups * M, invocations = subgroups * lanes;
const uint k_tiles = (D + N - 1u) / N, dv_tiles = (Dv + N - 1u) / N, n_tiles = keys / N;  // along D, Dv, keys
const uint k_pieces = k_tiles * N / 8u, v_pieces = dv_tiles * N / 8u;  // pieces of a line
#include "gpu_vulkan/kernels/attention/attention_blocks.glsl"
const uint k_pitch = k_pieces + 1u, v_pitch = v_pieces + 1u;
const uint k_tile = keys * k_pitch, v_tile = keys * v_pitch, values = buffers * k_tile;
// After the loop each subgroup has room for M lines of `strip` matrices of y, at most 128 bytes a line: from there y is
// written in whole cache lines.
const uint strip = dv_tiles * N < 64u ? dv_tiles : 64u / N, strip_pitch = strip * N / 8u + 1u, room = M * strip_pitch;
const uint for_keys = buffers * (k_tile + v_tile), for_queries = rows * k_pitch, for_results = subgroups * room;
const uint for_loop = for_keys > for_queries ? for_keys : for_queries;
shared uvec4 tile[for_loop > for_results ? for_loop : for_results];  // q; k and, from `values` on, v; y
shared uint has_special;

#ifdef VARIANT_bf16
#define PARTS 3
const uint part_mask = 0xFFFF0000u;    // the bits of an f32 that its first part keeps
const uint above_usual = 0x2C802C80u;  // added to two neighbours, it carries into the sign of those of 2^40 and more
/// bf16 has no accumulators, so that y is stored as an A operand, from numbers that are rounded already.
#define RESULT(y) MATRIX_A(y)
float rounded(float x) { return float_from_bf16(bf16_from_float(x)); }
#else
#define PARTS 2
const uint part_mask = 0xFFFFE000u, above_usual = 0x04000400u;
#define RESULT(y) ACCUMULATOR_F16(y)
float rounded(float x) { return x; }
#endif

MATRIX_A q_matrices[k_tiles];
ACCUMULATOR scores[n_tiles], upcoming[n_tiles], row_max, row_sum, acc[dv_tiles];

/// The query in row r of the subgroup.
uint query(uint r) { return first + gl_SubgroupID * M + r; }

const uint q_each = (M * k_pieces + lanes - 1u) / lanes;
void load_queries() {
  const uint tile_begin = gl_SubgroupID * M * k_pitch;
  uvec4 fetched[q_each];
  [[unroll]] for (uint p = 0; p < q_each; ++p) {
    const uint e = gl_SubgroupInvocationID + p * lanes, i = query(e / k_pieces), piece = e % k_pieces;
    const bool inside = i < Sq && (D % N == 0u || piece < D / 8u);
    fetched[p] = inside ? wide_q[(q_begin() + i * q_row) / 8u + piece] : uvec4(0u);
  }
  [[unroll]] for (uint p = 0; p < q_each; ++p) {
    const uint e = gl_SubgroupInvocationID + p * lanes;
    if (M * k_pieces % lanes == 0u || e < M * k_pieces)
      tile[tile_begin + e / k_pieces * k_pitch + e % k_pieces] = fetched[p];
  }
  subgroupBarrier();
  [[unroll]] for (uint t = 0; t < k_tiles; ++t)
    coopMatLoad(q_matrices[t], tile, tile_begin + t * N / 8u, k_pitch, gl_CooperativeMatrixLayoutRowMajor);
}

void stage_k(uint at) {
  [[unroll]] for (uint i = 0; i < k_each; ++i) {
    const uint e = gl_LocalInvocationID.x + i * invocations;
    if (keys * k_pieces % invocations == 0u || e < keys * k_pieces)
      tile[at + e / k_pieces * k_pitch + e % k_pieces] = fetched_k[i];
  }
}

uint special;  // has a sign bit where v has an infinity or a NaN, or a number so large that acc may overflow
void stage_v(uint at) {
  [[unroll]] for (uint i = 0; i < v_each; ++i) {
    const uint e = gl_LocalInvocationID.x + i * invocations;
    if (keys * v_pieces % invocations == 0u || e < keys * v_pieces)
      tile[at + e / v_pieces * v_pitch + e % v_pieces] = fetched_v[i];
    const uvec4 found = (fetched_v[i] & 0x7FFF7FFFu) + above_usual;
    special |= found.x | found.y | found.z | found.w;
  }
}

void multiply_q_and_k(uint at) {
  [[unroll]] for (uint j = 0; j < n_tiles; ++j) {
    upcoming[j] = ACCUMULATOR(0.0);
    [[unroll]] for (uint t = 0; t < k_tiles; ++t) {
      MATRIX_B right;
      coopMatLoad(right, tile, at + j * N * k_pitch + t * N / 8u, k_pitch, gl_CooperativeMatrixLayoutColumnMajor);
      upcoming[j] = coopMatMulAdd(q_matrices[t], right, upcoming[j]);
    }
  }
}

// A row max is an exponent of 2, and log2_scale makes exponents of 2 of scores. Scores that are only scaled products
// stay products. A weight is 2^top 2^(score - row max), and at most 2^top as long as no score is above its row max.
// Where one is, the row max becomes the largest score and the slack above it, so that acc seldom has to be rescaled.
const float rescale_slack = 5.0;
float log2_scale;
// least_score has no weight beside other scores, but is not masked; rows with no better score have least_row_max. Rows
// with masked keys only keep no_row_max.
const float least = -8.50705917e37, no_row_max = -1.70141183e38;
float least_score, least_row_max;

/// A score that is not masked: the least of all for -inf, which nothing finite is taken for.
float bounded(float x, float least_of_all) {
  if (is_nan(x)) return x;
  return x <= least_number() ? least_of_all : max(x, 0.5 * least_of_all);
}

/// 2^(x + up) of an x that is not above 0, within 4 ulp: Vulkan promises 3 + 2 |x| ulp for 2^x, and |x| < 0.501 here.
/// 1.5 2^23 + m holds the whole number m in its low bits. An x below `deepest` is taken for `deepest`.
precise float power(float x, float up, float deepest) {
  const float d = max(x, deepest), k = d + (12582912.0 + up), f = d - (k - (12582912.0 + up));
  return uintBitsToFloat(floatBitsToUint(exp2(f)) + (floatBitsToUint(k) << 23));
}

#ifdef VARIANT_bf16
// bf16 values and results may be as small as any f32, so that the weight of a masked key has to be 0, and others have
// to be right down to 2^-150. 2^28 keys, with weights of 2^58 and values of 2^40, do not take a sum to infinity.
float weight_of(float x) { return x < -150.0 ? 0.0 : power(x, 58.0, -150.0); }
float rescale_factor(float x) { return x < -125.0 ? 0.0 : power(x, 0.0, -125.0); }
#else
float weight_of(float x) { return power(x, 15.0, -115.0); }
float rescale_factor(float x) { return power(x, 0.0, -115.0); }
#endif

/// The row max of a row whose largest score is this.
precise float row_max_for(float largest) { return largest * log2_scale + rescale_slack; }

float place_of(const in uint r, const in uint c, const in float x) { return float(r * N + c); }
float larger(const in float a, const in float b) { return maximum(a, b); }
float sum_of(const in float a, const in float b) { return a + b; }

/// Makes scores of the products, one by one, and -inf of those of masked keys.
void find_scores(uint from) {
  ACCUMULATOR place;  // the number of each component in its matrix
  coopMatPerElementNV(place, row_max, place_of);
  [[unroll]] for (uint s = 0; s < n_tiles; ++s)
    [[unroll]] for (uint c = 0; c < place.length(); ++c) {
      const uint at = uint(place[c]), i = query(at / N), j = from + s * N + at % N;
      float x = scores[s][c];
      bool masked = is_masked_by_position(i, j);
      if (!masked && !is_scaled_product) x = score(x, i, j, masked);
      else if (!masked && has_mask) masked = uint(mask[index_of(mask_strides, i, j)]) == 0u;
      scores[s][c] = masked ? uintBitsToFloat(minus_infinity_bits) : bounded(x, least_score);
    }
}

int last;  // the workgroup's last query

/// Takes the upcoming products for scores, or makes scores of them where some key is masked or scores depend on more.
void take_scores(uint from) {
  [[unroll]] for (uint s = 0; s < n_tiles; ++s) scores[s] = upcoming[s];
  const bool whole = is_scaled_product && !has_mask && is_all_unmasked(from, int(first), last);
  if (!whole && from < end) find_scores(from);
}

/// Raises each row max that a score of its row is above, and rescales row sum and acc.
void raise_row_max() {
  ACCUMULATOR block_max = scores[0], rescale;
  [[unroll]] for (uint j = 1; j < n_tiles; ++j)
    [[unroll]] for (uint c = 0; c < block_max.length(); ++c) block_max[c] = maximum(block_max[c], scores[j][c]);
  coopMatReduceNV(rescale, block_max, gl_CooperativeMatrixReduceRowNV, larger);
  [[unroll]] for (uint c = 0; c < rescale.length(); ++c) {
    const float largest = rescale[c], before = row_max[c];
    const float now = largest * log2_scale > before ? row_max_for(largest) : before;
    row_max[c] = now;
    rescale[c] = rescale_factor(before - now);
    if (is_nan(largest) || largest == positive_infinity()) row_sum[c] = quiet_nan();
  }
  row_sum = row_sum * rescale;
  [[unroll]] for (uint j = 0; j < dv_tiles; ++j) acc[j] = acc[j] * rescale;
}

/// Raises the row max of the subgroup's rows where a score of any of them is above it, or a NaN.
void update_row_max() {
  bool over = false;
  [[unroll]] for (uint s = 0; s < n_tiles; ++s)
    [[unroll]] for (uint c = 0; c < row_max.length(); ++c) {
      const bool beyond = !(fma(scores[s][c], log2_scale, -row_max[c]) <= 0.0);
      over = over || beyond;
    }
  const uvec4 lanes_over = subgroupBallot(over);
  if ((lanes_over.x | lanes_over.y | lanes_over.z | lanes_over.w) != 0u) raise_row_max();
}

/// Makes weights of n tile s of the scores, adds them to the row sum, and splits them into parts.
void find_weights(uint s, out MATRIX_A weights[PARTS]) {
  ACCUMULATOR part, rest;
  [[unroll]] for (uint c = 0; c < rest.length(); ++c) {
    const float exponent = fma(scores[s][c], log2_scale, -row_max[c]);
    // The largest is rounded, too: beside scores of millions an exponent above 0 would weigh infinitely. NaN stays.
    rest[c] = weight_of(exponent > 0.0 ? 0.0 : exponent);
    row_sum[c] += rest[c];
  }
  [[unroll]] for (uint p = 0; p < PARTS - 1u; ++p) {
    [[unroll]] for (uint c = 0; c < rest.length(); ++c) {
      part[c] = uintBitsToFloat(floatBitsToUint(rest[c]) & part_mask);
      rest[c] -= part[c];
    }
    weights[p] = MATRIX_A(part);
  }
  weights[PARTS - 1u] = MATRIX_A(rest);
}

void multiply_weights_and_v(uint at) {
  const uint together = 4u;  // products that follow one another without waiting for one another
  [[unroll]] for (uint t = 0; t < n_tiles; ++t) {
    MATRIX_A weights[PARTS];
    find_weights(t, weights);
    [[unroll]] for (uint j = 0; j < dv_tiles; j += together) {
      MATRIX_B right[together];
      [[unroll]] for (uint f = 0; f < together; ++f)
        if (j + f < dv_tiles)
          coopMatLoad(right[f], tile, at + t * N * v_pitch + (j + f) * N / 8u, v_pitch,
                      gl_CooperativeMatrixLayoutRowMajor);
      [[unroll]] for (uint p = 0; p < PARTS; ++p)
        [[unroll]] for (uint f = 0; f < together; ++f)
          if (j + f < dv_tiles) acc[j + f] = coopMatMulAdd(weights[p], right[f], acc[j + f]);
    }
  }
}

/// 1 for rows that have weights, the elements of y for others.
float outcome(const in uint r, const in uint c, const in float max_of_row) {
  // A block in which find_scores was not needed leaves no trace of scores of -inf.
  if (max_of_row == no_row_max) return !has_mask && !has_bias && has_key_in_window(query(r)) ? quiet_nan() : 0.0;
  return max_of_row == least_row_max ? quiet_nan() : 1.0;
}

/// Joins the sink of the head to rows of these outcomes: sets `shrink`, the factor of what the keys have found. Keys of
/// score -inf give 0 beside a sink.
void join_sink(inout ACCUMULATOR total, inout ACCUMULATOR outcomes, out ACCUMULATOR shrink) {
  const float sink = load(sinks[head]);
  const bool is_finite = !is_nan(sink) && !is_infinite(sink);
  shrink = ACCUMULATOR(1.0);
  if (is_minus_infinity(sink)) return;
  [[unroll]] for (uint c = 0; c < total.length(); ++c) {
    const bool usual = outcomes[c] == 1.0;
    const float above = fma(sink, 1.44269504, -row_max[c]);  // an exponent of 2
    if (usual && is_finite) {
      // Far below a sink large values may still matter: both sums are then 2^64 times as large.
      const bool far = above > 125.0;
      shrink[c] = above > 0.0 ? rescale_factor(far ? 64.0 - above : -above) : 1.0;
      const float of_sink = weight_of(above > 0.0 ? 0.0 : above);
      total[c] = fma(total[c], shrink[c], far ? of_sink * 18446744073709551616.0 : of_sink);
    }
    if (usual && !is_finite) total[c] = quiet_nan();
    if (!usual && is_finite && !is_nan(total[c])) outcomes[c] = 0.0;
  }
}

void store_results() {
  const uint strips = (dv_tiles + strip - 1u) / strip, tile_begin = gl_SubgroupID * room, pieces = strip * N / 8u;
  ACCUMULATOR total, factor, shrink;
  coopMatReduceNV(total, row_sum, gl_CooperativeMatrixReduceRowNV, sum_of);
  coopMatPerElementNV(factor, row_max, outcome);
  if (has_sinks) join_sink(total, factor, shrink);
  [[unroll]] for (uint c = 0; c < total.length(); ++c) {
    const bool usual = factor[c] == 1.0 && !is_nan(total[c]);
    factor[c] = usual ? 1.0 / total[c] : is_nan(total[c]) ? total[c] : factor[c];
    total[c] = usual ? total[c] : 1.0;
  }
  [[unroll]] for (uint s = 0; s < strips; ++s) {
    [[unroll]] for (uint j = 0; j < dv_tiles; ++j)
      if (j / strip == s) {
        ACCUMULATOR y = acc[j];
        if (has_sinks) y = y * shrink;
        [[unroll]] for (uint c = 0; c < y.length(); ++c) {
          const float quotient = y[c] * factor[c];
          y[c] = rounded(fma(fma(-quotient, total[c], y[c]), factor[c], quotient));
        }
        coopMatStore(RESULT(y), tile, tile_begin + j % strip * N / 8u, strip_pitch, gl_CooperativeMatrixLayoutRowMajor);
      }
    subgroupBarrier();
    for (uint e = gl_SubgroupInvocationID; e < M * pieces; e += lanes) {
      const uint i = query(e / pieces), piece = s * pieces + e % pieces;
      if (i < Sq && piece < Dv / 8u)
        wide_y[(y_begin() + i * y_row) / 8u + piece] = tile[tile_begin + e / pieces * strip_pitch + e % pieces];
    }
    subgroupBarrier();
  }
}

#include "gpu_vulkan/kernels/attention/attention_one_by_one.glsl"

void main() {
  const uint blocks = (Sq + rows - 1u) / rows, task = group_index();
  if (task >= tasks) return;
  begin_task(task, blocks, rows);
  if (begin < end) {
    fetch_k(begin);
    fetch_v(begin);
  }
  load_queries();
  if (gl_LocalInvocationID.x == 0u) has_special = 0u;
  special = 0u;
  last = int(min(first + rows, Sq)) - 1;
  log2_scale = 1.44269504 * (is_scaled_product ? scale : 1.0);
  least_score = least / max(log2_scale, 1.0);
  least_row_max = row_max_for(least_score);
  row_max = ACCUMULATOR(no_row_max);
  row_sum = ACCUMULATOR(0.0);
  [[unroll]] for (uint j = 0; j < dv_tiles; ++j) acc[j] = ACCUMULATOR(0.0);
  barrier();  // every subgroup has loaded its queries
  if (buffers == 1u) {
    for (uint from = begin; from < end; from += keys) {
      stage_k(0u);
      barrier();  // every subgroup is done with v
      fetch_k(from + keys);
      multiply_q_and_k(0u);
      take_scores(from);
      update_row_max();
      stage_v(values);
      barrier();  // every subgroup is done with k
      fetch_v(from + keys);
      multiply_weights_and_v(values);
    }
  } else if (begin < end) {
    stage_k(0u);
    fetch_k(begin + keys);
    barrier();
    multiply_q_and_k(0u);
    take_scores(begin);
    uint now = 0u;  // the buffer of this block; k of the next block goes to the other
    for (uint from = begin; from < end; from += keys, now ^= 1u) {
      update_row_max();
      stage_k((now ^ 1u) * k_tile);
      stage_v(values + now * v_tile);
      barrier();  // every subgroup is done with the block before
      fetch_k(from + 2u * keys);
      fetch_v(from + keys);
      multiply_q_and_k((now ^ 1u) * k_tile);
      multiply_weights_and_v(values + now * v_tile);
      take_scores(from + keys);
    }
  }
  if ((special & 0x80008000u) != 0u) has_special = 1u;
  barrier();
  if (has_special != 0u) store_one_by_one();
  else store_results();
}
