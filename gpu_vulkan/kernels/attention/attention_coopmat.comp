#version 450
// Flash attention in f16 by cooperative matrices (VK_KHR_cooperative_matrix) of M x N by N x N with f32 accumulators.
// Weights P go from accumulators to A operands through shared memory. A weight is two f16 parts, high and low, so that
// it loses nothing beside an f32 accumulator. Operands are read in pieces of 8 neighbouring elements.
//
//   workgroup: m_tiles x subgroups x M queries of one head
//   |            shared by its subgroups:  a block of K [keys][D] and of V [keys][Dv], keys = n_tiles x N
//   +- subgroup: m_tiles x M queries, whose rows no other subgroup has
//      |         its own shared memory:    scratch, one M x N matrix in f32 or two in f16, and a number for each row
//      +- matrices, in its registers: drawn in attention_blocks.glsl
//
//   for each block of keys:
//     K: registers -> shared memory;  S = Q K^T: for each n tile, for each k tile
//     V: registers -> shared memory;  where some score of the workgroup is above its row max: raise it, rescale acc
//     for each n tile: P = exp2(S - row max) -> scratch -> A;  for each dv tile: acc += P_high V, acc += P_low V
//   y = acc / row sum
#define VARIANT_f16 1
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#pragma use_vulkan_memory_model
#include "gpu_vulkan/glsl/element.glsl"
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/glsl/math.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint M = 16;
layout(constant_id = 2) const uint N = 16;
layout(constant_id = 3) const uint subgroups = 4;
layout(constant_id = 4) const uint lanes = 32;   // invocations per subgroup, a multiple of M
layout(constant_id = 5) const uint m_tiles = 1;  // matrices along the queries of a subgroup
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

// A subgroup's m tiles lie round_rows queries apart.
const uint round_rows = subgroups * M, rows = m_tiles * round_rows, invocations = subgroups * lanes;
const uint k_tiles = (D + N - 1u) / N, dv_tiles = (Dv + N - 1u) / N, n_tiles = keys / N;  // along D, Dv, keys
const uint k_pieces = k_tiles * N / 8u, v_pieces = dv_tiles * N / 8u;  // pieces of a line
#include "gpu_vulkan/kernels/attention/attention_blocks.glsl"
const uint k_pitch = k_pieces + 1u, v_pitch = v_pieces + 1u, v_tile = keys * k_pitch;
const uint for_keys = v_tile + keys * v_pitch, for_queries = round_rows * k_pitch;
shared uvec4 tile[for_keys > for_queries ? for_keys : for_queries];  // first q; then k and, from v_tile on, v
// Each subgroup's scratch memory holds a matrix in f32, or two in f16, and then a number for each row.
const uint half_pitch = N / 2u + 4u;
const uint matrix_words = 2u * M * half_pitch > M * N ? 2u * M * half_pitch : M * N, scratch_words = matrix_words + M;
// All shared memory consists of whole 16 bytes, since drivers store matrices by so many.
shared uint scratch[subgroups * scratch_words];
float number(uint at) { return uintBitsToFloat(scratch[at]); }
void set_number(uint at, float x) { scratch[at] = floatBitsToUint(x); }

// Two flags for this block of keys and two for the next, in turn: whether some score is above its row max, and whether
// v has an infinity or a NaN.
shared uint flags[4];

MATRIX_A q_matrices[m_tiles * k_tiles];
ACCUMULATOR scores[m_tiles * n_tiles], row_max[m_tiles], row_sum[m_tiles], acc[m_tiles * dv_tiles];

// When a subgroup goes through a matrix in `scratch`, `parts` lanes share a row, and each has columns_each columns.
const uint parts = lanes / M, columns_each = N / parts;
uint scratch_begin, row, part;

/// The query in row r of m tile g.
uint query(uint g, uint r) { return first + g * round_rows + gl_SubgroupID * M + r; }

void load_queries() {
  [[unroll]] for (uint g = 0; g < m_tiles; ++g) {
    for (uint e = gl_LocalInvocationID.x; e < round_rows * k_pieces; e += invocations) {
      const uint r = e / k_pieces, piece = e % k_pieces, i = first + g * round_rows + r;
      const bool inside = i < Sq && piece < D / 8u;
      tile[r * k_pitch + piece] = inside ? wide_q[(q_begin() + i * q_row) / 8u + piece] : uvec4(0u);
    }
    barrier();
    [[unroll]] for (uint t = 0; t < k_tiles; ++t)
      coopMatLoad(q_matrices[g * k_tiles + t], tile, gl_SubgroupID * M * k_pitch + t * N / 8u, k_pitch,
                  gl_CooperativeMatrixLayoutRowMajor);
    barrier();
  }
}

void stage_k() {
  [[unroll]] for (uint i = 0; i < k_each; ++i) {
    const uint e = gl_LocalInvocationID.x + i * invocations;
    if (keys * k_pieces % invocations == 0u || e < keys * k_pieces)
      tile[e / k_pieces * k_pitch + e % k_pieces] = fetched_k[i];
  }
}

/// Stages v. Returns whether it has an infinity or a NaN: adding 1 to their exponents carries into the sign.
bool stage_v() {
  uvec4 found = uvec4(0u);
  [[unroll]] for (uint i = 0; i < v_each; ++i) {
    const uint e = gl_LocalInvocationID.x + i * invocations;
    if (keys * v_pieces % invocations == 0u || e < keys * v_pieces)
      tile[v_tile + e / v_pieces * v_pitch + e % v_pieces] = fetched_v[i];
    found |= (fetched_v[i] & 0x7FFF7FFFu) + 0x04000400u;
  }
  return ((found.x | found.y | found.z | found.w) & 0x80008000u) != 0u;
}

void multiply_q_and_k() {
  [[unroll]] for (uint s = 0; s < m_tiles * n_tiles; ++s) scores[s] = ACCUMULATOR(0.0);
  [[unroll]] for (uint j = 0; j < n_tiles; ++j)
    [[unroll]] for (uint t = 0; t < k_tiles; ++t) {
      MATRIX_B right;
      coopMatLoad(right, tile, j * N * k_pitch + t * N / 8u, k_pitch, gl_CooperativeMatrixLayoutColumnMajor);
      [[unroll]] for (uint g = 0; g < m_tiles; ++g)
        scores[g * n_tiles + j] = coopMatMulAdd(q_matrices[g * k_tiles + t], right, scores[g * n_tiles + j]);
    }
}

// Scores that are only scaled products stay products, and log2_scale makes exponents of 2 of their differences. A
// weight is 2^15 e^(score - row max), and at most 2^15 as long as no score is above its row max. Where one is, the row
// max becomes the largest score and the slack above it, so that acc seldom has to be rescaled.
const float top = 15.0, rescale_slack = 5.0, deepest = -115.0;  // exponents of 2
float log2_scale, lowest_difference;
// least_score has no weight beside other scores, but is not masked. Rows with masked keys only keep no_row_max.
const float least_score = -8.50705917e37, no_row_max = -1.70141183e38;

/// 2^(difference * log2_scale + up) of a difference that is not above 0, within 4 ulp: Vulkan promises 3 + 2 |x| ulp
/// for 2^x, and |x| < 0.501 here. 1.5 2^23 + m holds the whole number m in its low bits. A difference below
/// lowest_difference is taken for it.
precise float power(float difference, float up) {
  const float d = max(difference, lowest_difference);
  const float k = fma(d, log2_scale, 12582912.0 + up), f = fma(d, log2_scale, 12582912.0 + up - k);
  return uintBitsToFloat(floatBitsToUint(exp2(f)) + (floatBitsToUint(k) << 23));
}

/// Makes scores of the products, one by one, and -inf of those of masked keys.
void find_scores(uint from) {
  [[unroll]] for (uint c = 0; c < columns_each; ++c) {
    const uint at = row * N + part * columns_each + c;
    set_number(scratch_begin + at, float(at));
  }
  subgroupBarrier();
  ACCUMULATOR place;  // the number of each component in its matrix
  coopMatLoad(place, scratch, scratch_begin, N, gl_CooperativeMatrixLayoutRowMajor);
  subgroupBarrier();
  [[unroll]] for (uint s = 0; s < m_tiles * n_tiles; ++s)
    [[unroll]] for (uint c = 0; c < place.length(); ++c) {
      const uint at = uint(place[c]), i = query(s / n_tiles, at / N), j = from + s % n_tiles * N + at % N;
      float x = scores[s][c];
      bool masked = is_masked_by_position(i, j);
      if (!masked && !is_scaled_product) x = score(x, i, j, masked);
      else if (!masked && has_mask) masked = uint(mask[index_of(mask_strides, i, j)]) == 0u;
      x = is_nan(x) ? x : max(x, least_score);
      scores[s][c] = masked ? uintBitsToFloat(minus_infinity_bits) : x;
    }
}

/// Puts the largest number or the sum of each row of x into all of its columns.
ACCUMULATOR by_row(ACCUMULATOR x, bool is_sum) {
  coopMatStore(x, scratch, scratch_begin, N, gl_CooperativeMatrixLayoutRowMajor);
  subgroupBarrier();
  float y = number(scratch_begin + row * N + part);
  [[unroll]] for (uint c = 1; c < columns_each; ++c) {
    const float other = number(scratch_begin + row * N + part + c * parts);
    y = is_sum ? y + other : maximum(y, other);
  }
  [[unroll]] for (uint distance = 1u; distance < parts; distance *= 2u) {
    const float other = subgroupShuffleXor(y, distance);
    y = is_sum ? y + other : maximum(y, other);
  }
  if (part == 0u) set_number(scratch_begin + matrix_words + row, y);
  subgroupBarrier();
  coopMatLoad(x, scratch, scratch_begin + matrix_words, 0u, gl_CooperativeMatrixLayoutColumnMajor);
  subgroupBarrier();
  return x;
}

/// Raises each row max that a score of its row is above, and rescales row sum and acc.
void raise_row_max() {
  [[unroll]] for (uint g = 0; g < m_tiles; ++g) {
    ACCUMULATOR block_max = scores[g * n_tiles];
    [[unroll]] for (uint j = 1; j < n_tiles; ++j)
      [[unroll]] for (uint c = 0; c < block_max.length(); ++c)
        block_max[c] = maximum(block_max[c], scores[g * n_tiles + j][c]);
    block_max = by_row(block_max, false);
    ACCUMULATOR rescale;
    [[unroll]] for (uint c = 0; c < block_max.length(); ++c) {
      const float before = row_max[g][c];
      const float now = block_max[c] > before ? block_max[c] + rescale_slack / log2_scale : before;
      row_max[g][c] = now;
      rescale[c] = power(before - now, 0.0);
      if (is_nan(block_max[c]) || block_max[c] == positive_infinity()) row_sum[g][c] = quiet_nan();
    }
    row_sum[g] = row_sum[g] * rescale;
    [[unroll]] for (uint j = 0; j < dv_tiles; ++j) acc[g * dv_tiles + j] = acc[g * dv_tiles + j] * rescale;
  }
}

/// Whether x is above the max, or a NaN: !(x <= max), which compilers may take for x > max.
bool exceeds(float x, float max_so_far) { return is_nan(x) || x > max_so_far; }

/// Whether one of this lane's scores is above its row max.
bool exceeds_row_max() {
  bool over = false;
  [[unroll]] for (uint s = 0; s < m_tiles * n_tiles; ++s)
    [[unroll]] for (uint c = 0; c < scores[0].length(); ++c)
      over = over || exceeds(scores[s][c], row_max[s / n_tiles][c]);
  return over;
}

/// The accumulator's numbers as an A operand, by way of scratch memory.
MATRIX_A as_matrix_a(ACCUMULATOR_F16 x, uint slot) {
  MATRIX_A y;
  const uint at = scratch_begin + slot * M * half_pitch;
  coopMatStore(x, scratch, at, half_pitch, gl_CooperativeMatrixLayoutRowMajor);
  subgroupBarrier();
  coopMatLoad(y, scratch, at, half_pitch, gl_CooperativeMatrixLayoutRowMajor);
  subgroupBarrier();
  return y;
}

const uint together = 4;

void multiply_weights_and_v() {
  [[unroll]] for (uint t = 0; t < n_tiles; ++t) {
    MATRIX_A high[m_tiles], low[m_tiles];
    [[unroll]] for (uint g = 0; g < m_tiles; ++g) {
      ACCUMULATOR_F16 upper, lower;
      [[unroll]] for (uint c = 0; c < upper.length(); ++c) {
        const float weight = power(scores[g * n_tiles + t][c] - row_max[g][c], top);
        row_sum[g][c] += weight;
        const float rounded = uintBitsToFloat(floatBitsToUint(weight) & 0xFFFFE000u);  // toward 0, to 11 bits
        upper[c] = float16_t(rounded);
        lower[c] = float16_t(weight - rounded);
      }
      high[g] = as_matrix_a(upper, 0u);
      low[g] = as_matrix_a(lower, 1u);
    }
    // `together` products follow one another that do not wait for one another.
    [[unroll]] for (uint j = 0; j < dv_tiles; j += together) {
      MATRIX_B right[together];
      [[unroll]] for (uint f = 0; f < together; ++f)
        if (j + f < dv_tiles)
          coopMatLoad(right[f], tile, v_tile + t * N * v_pitch + (j + f) * N / 8u, v_pitch,
                      gl_CooperativeMatrixLayoutRowMajor);
      [[unroll]] for (uint h = 0; h < 2u * m_tiles; ++h)
        [[unroll]] for (uint f = 0; f < together; ++f)
          if (j + f < dv_tiles) {
            const uint r = h % m_tiles * dv_tiles + j + f;
            if (h < m_tiles) acc[r] = coopMatMulAdd(high[h % m_tiles], right[f], acc[r]);
            else acc[r] = coopMatMulAdd(low[h % m_tiles], right[f], acc[r]);
          }
    }
  }
}

#include "gpu_vulkan/kernels/attention/attention_special.glsl"

/// These take the place of the row sum where all keys of a row are masked, and where all others score -inf.
const float all_masked = -1.0, all_minus_infinity = -2.0;

/// 2^(x + up) of an x that is not above 0, as power() has it.
precise float power_of_two(float x, float up) {
  const float d = max(x, deepest), k = d + (12582912.0 + up), f = d - (k - (12582912.0 + up));
  return uintBitsToFloat(floatBitsToUint(exp2(f)) + (floatBitsToUint(k) << 23));
}

/// Joins the sink of the head to a row that has weights, by its row max. Returns the factor of what its keys found.
float joined_with(float sink, float largest, inout float total) {
  const float above = (is_scaled_product ? fma(-largest, scale, sink) : sink - largest) * 1.44269504;  // 2^above
  const float shrink = above > 0.0 ? power_of_two(-above, 0.0) : 1.0;
  total = fma(total, shrink, power_of_two(above > 0.0 ? 0.0 : above, top));
  if (is_nan(sink) || is_infinite(sink)) total = quiet_nan();
  return shrink;
}

void store_results() {
  const float sink = has_sinks ? load(sinks[head]) : 0.0;
  const bool is_joined = has_sinks && !is_minus_infinity(sink);
  [[unroll]] for (uint g = 0; g < m_tiles; ++g) {
    ACCUMULATOR total = by_row(row_sum[g], true), shrink = ACCUMULATOR(1.0);
    [[unroll]] for (uint c = 0; c < total.length(); ++c) {
      const bool is_all_masked = row_max[g][c] == no_row_max && !is_nan(total[c]);
      if (is_all_masked) total[c] = all_masked;
      if (row_max[g][c] == least_score && !is_nan(total[c])) total[c] = all_minus_infinity;
      else if (is_joined && !is_all_masked) {
        float joined = total[c];
        shrink[c] = joined_with(sink, row_max[g][c], joined);
        total[c] = joined;
      }
    }
    total = by_row(total, false);
    for (uint j = 0; j < dv_tiles; ++j) {
      [[unroll]] for (uint f = 0; f < dv_tiles; ++f)
        if (f == j) {
          ACCUMULATOR y = acc[g * dv_tiles + f];
          if (has_sinks) y = y * shrink;
          coopMatStore(y, scratch, scratch_begin, N, gl_CooperativeMatrixLayoutRowMajor);
        }
      subgroupBarrier();
      for (uint e = gl_SubgroupInvocationID; e < M * N / 8u; e += lanes) {
        const uint r = e * 8u / N, column = j * N + e * 8u % N, i = query(g, r);
        float sum = number(scratch_begin + matrix_words + r);
        // A block in which find_scores was not needed leaves no trace of scores of -inf.
        if (sum == all_masked && !has_mask && !has_bias && has_key_in_window(i)) sum = all_minus_infinity;
        uint x[8];
        [[unroll]] for (uint c = 0; c < 8u; ++c) {
          const float found = number(scratch_begin + e * 8u + c), value = divide(found, sum);
          // Beside a sink, keys of score -inf give 0.
          const bool gives_zero = is_joined && !is_nan(sink) && !is_infinite(sink);
          const float of_none = gives_zero ? 0.0 * found : quiet_nan();
          x[c] = uint(store(sum == all_masked ? 0.0 : sum == all_minus_infinity ? of_none : value));
        }
        if (i < Sq && column < Dv) wide_y[(y_begin() + i * y_row + column) / 8u] = joined_halves(x);
      }
      subgroupBarrier();
    }
  }
}

/// Whether the window masks every key of the block from `from` on for the queries from `low` to `high`.
bool is_all_masked(uint from, int low, int high) {
  return int(from) > high + shift + window_highest || int(from + keys) <= low + shift + window_lowest;
}

void main() {
  const uint blocks = (Sq + rows - 1u) / rows, task = group_index();
  if (task >= tasks) return;
  begin_task(task, blocks, rows);
  scratch_begin = gl_SubgroupID * scratch_words;
  row = gl_SubgroupInvocationID / parts;
  part = gl_SubgroupInvocationID % parts;
  load_queries();
  [[unroll]] for (uint j = 0; j < m_tiles * dv_tiles; ++j) acc[j] = ACCUMULATOR(0.0);
  [[unroll]] for (uint g = 0; g < m_tiles; ++g) {
    row_max[g] = ACCUMULATOR(no_row_max);
    row_sum[g] = ACCUMULATOR(0.0);
  }
  if (gl_LocalInvocationID.x < 4u) flags[gl_LocalInvocationID.x] = 0u;
  // The subgroup's first and last query.
  const int low = int(query(0u, 0u)), high = int(min(query(m_tiles - 1u, M - 1u), Sq - 1u));
  log2_scale = 1.44269504 * (is_scaled_product ? scale : 1.0);
  lowest_difference = deepest / log2_scale;
  if (begin < end) fetch_k(begin);
  uint now = 0u;
  // The whole workgroup takes the same branch around any barrier, even a subgroup's: not every driver tells barriers of
  // subgroups from others.
  for (uint from = begin; from < end; from += keys, now ^= 2u) {
    stage_k();
    fetch_v(from);
    barrier();  // every subgroup is done with v
    if (gl_LocalInvocationID.x < 2u) flags[(now ^ 2u) + gl_LocalInvocationID.x] = 0u;
    if (!is_all_masked(from, low, high)) multiply_q_and_k();
    const bool one_by_one =
        !is_scaled_product || has_mask || !is_all_unmasked(from, int(first), int(min(first + rows, Sq)) - 1);
    if (one_by_one) find_scores(from);
    if (exceeds_row_max()) flags[now] = 1u;
    if (stage_v()) flags[now + 1u] = 1u;
    fetch_k(from + keys);
    barrier();  // every subgroup is done with k
    if (flags[now] != 0u) raise_row_max();
    if (flags[now + 1u] != 0u) multiply_special(one_by_one);
    else multiply_weights_and_v();
  }
  store_results();
}
