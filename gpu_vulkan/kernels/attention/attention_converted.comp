#version 450
// attention_cooperative.comp for devices whose matrices change their use: weights, which are products' results, become
// factors in registers (VK_NV_cooperative_matrix2). A subgroup holds M queries and all that belongs to them, scores,
// weights and results, in matrices; a workgroup's subgroups share blocks of keys and values in shared memory. A weight
// is kept in two f16 or three bf16 parts, so that nothing is lost beside sums in f32.
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
layout(constant_id = 4) const uint lanes = 32;   // of a subgroup
layout(constant_id = 5) const uint buffers = 1;  // of a block each: with two of them, scores are a block ahead
layout(constant_id = 6) const uint keys = 32;    // of a block, a multiple of N
layout(constant_id = 7) const uint D = 16;
layout(constant_id = 8) const uint Dv = 16;
layout(constant_id = 9) const bool has_mask = false;
layout(constant_id = 10) const bool has_bias = false;
layout(constant_id = 11) const bool capped = false;
layout(constant_id = 12) const uint length_words = 0;
layout(constant_id = 13) const bool plain = false;  // scores are products times a scale above 0
#include "gpu_vulkan/kernels/attention/attention.glsl"

const uint rows = subgroups * M, invocations = subgroups * lanes;
const uint deep = (D + N - 1u) / N, wide = (Dv + N - 1u) / N, across = keys / N;  // matrices of q, y, scores
const uint k_pieces = deep * N / 8u, v_pieces = wide * N / 8u;                    // of a line
#include "gpu_vulkan/kernels/attention/attention_blocks.glsl"
const uint k_pitch = k_pieces + 1u, v_pitch = v_pieces + 1u;
const uint k_tile = keys * k_pitch, v_tile = keys * v_pitch, values = buffers * k_tile;
// When all is multiplied each subgroup has room for M lines of some matrices of y, 128 bytes at most: from there y is
// written in whole lines of a cache.
const uint strip = wide * N < 64u ? wide : 64u / N, strip_pitch = strip * N / 8u + 1u, room = M * strip_pitch;
const uint for_keys = buffers * (k_tile + v_tile), for_queries = rows * k_pitch, for_results = subgroups * room;
const uint for_loop = for_keys > for_queries ? for_keys : for_queries;
shared uvec4 tile[for_loop > for_results ? for_loop : for_results];  // of q, of k and, from `values`, of v; of y
shared uint has_special;

#define MATRIX coopmat<float, gl_ScopeSubgroup, M, N, gl_MatrixUseAccumulator>
#define HALVES coopmat<float16_t, gl_ScopeSubgroup, M, N, gl_MatrixUseAccumulator>
#define LEFT coopmat<float16_t, gl_ScopeSubgroup, M, N, gl_MatrixUseA>
#define RIGHT coopmat<float16_t, gl_ScopeSubgroup, N, N, gl_MatrixUseB>

#ifdef VARIANT_bf16
#define PARTS 3
const uint part_mask = 0xFFFF0000u;    // of the bits of an f32, those of its first part
const uint above_usual = 0x2C802C80u;  // carries what is 2^40 and more to the sign, of two neighbours
/// Factors are the only bf16 matrices that there are. What becomes one has been rounded.
#define RESULT(y) LEFT(y)
float rounded(float x) { return float_from_bf16(bf16_from_float(x)); }
#else
#define PARTS 2
const uint part_mask = 0xFFFFE000u, above_usual = 0x04000400u;
#define RESULT(y) HALVES(y)
float rounded(float x) { return x; }
#endif

LEFT queries[deep];
MATRIX scores[across], upcoming[across], limits, sums, results[wide];

uint query(uint r) { return first + gl_SubgroupID * M + r; }

const uint q_each = (M * k_pieces + lanes - 1u) / lanes;
void load_queries() {
  const uint mine = gl_SubgroupID * M * k_pitch;
  uvec4 fetched[q_each];
  [[unroll]] for (uint p = 0; p < q_each; ++p) {
    const uint e = gl_SubgroupInvocationID + p * lanes, i = query(e / k_pieces), piece = e % k_pieces;
    const bool inside = i < Sq && (D % N == 0u || piece < D / 8u);
    fetched[p] = inside ? wide_q[(q_begin() + i * q_row) / 8u + piece] : uvec4(0u);
  }
  [[unroll]] for (uint p = 0; p < q_each; ++p) {
    const uint e = gl_SubgroupInvocationID + p * lanes;
    if (M * k_pieces % lanes == 0u || e < M * k_pieces)
      tile[mine + e / k_pieces * k_pitch + e % k_pieces] = fetched[p];
  }
  subgroupBarrier();
  [[unroll]] for (uint t = 0; t < deep; ++t)
    coopMatLoad(queries[t], tile, mine + t * N / 8u, k_pitch, gl_CooperativeMatrixLayoutRowMajor);
}

void stage_k(uint at) {
  [[unroll]] for (uint i = 0; i < k_each; ++i) {
    const uint e = gl_LocalInvocationID.x + i * invocations;
    if (keys * k_pieces % invocations == 0u || e < keys * k_pieces)
      tile[at + e / k_pieces * k_pitch + e % k_pieces] = fetched_k[i];
  }
}

uint special;  // where v has an infinity or a NaN, or weights times it may be one, a carry reached the sign
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
  [[unroll]] for (uint j = 0; j < across; ++j) {
    upcoming[j] = MATRIX(0.0);
    [[unroll]] for (uint t = 0; t < deep; ++t) {
      RIGHT right;
      coopMatLoad(right, tile, at + j * N * k_pitch + t * N / 8u, k_pitch, gl_CooperativeMatrixLayoutColumnMajor);
      upcoming[j] = coopMatMulAdd(queries[t], right, upcoming[j]);
    }
  }
}

// Limits are exponents of 2, and `unit` makes such of scores, which are products as they are where that is all that
// they depend on. A weight is 2^top 2^(score - limit), not above 2^top as long as no score of the row is above its
// limit, which is otherwise made the largest so far and some more, so that it seldom has to be.
const float headroom = 5.0;
float unit;
// What has no weight beside others, but is not hidden, and the limit of rows that have seen no better; the limit of
// those that have seen hidden keys only.
const float least = -8.50705917e37, no_limit = -1.70141183e38;
float least_score, least_limit;

/// 2^(x + up) of an x that is not above 0, within 4 ulp: Vulkan promises 3 + 2 |x| of 2^x, and |x| < 0.501 here.
/// 1.5 2^23 + m holds the whole number m in its low bits. What is below 2^deepest is taken for that.
precise float power(float x, float up, float deepest) {
  const float d = max(x, deepest), k = d + (12582912.0 + up), f = d - (k - (12582912.0 + up));
  return uintBitsToFloat(floatBitsToUint(exp2(f)) + (floatBitsToUint(k) << 23));
}

#ifdef VARIANT_bf16
// Results and values may be as small as any f32 is, so that the weight of a hidden key has to be 0, and those of others
// are right down to 2^-150. 2^top, 2^28 keys and values of 2^40 do not take a sum to infinity.
float weight_of(float x) { return x < -150.0 ? 0.0 : power(x, 58.0, -150.0); }
float share_of(float x) { return x < -125.0 ? 0.0 : power(x, 0.0, -125.0); }
#else
float weight_of(float x) { return power(x, 15.0, -115.0); }
float share_of(float x) { return power(x, 0.0, -115.0); }
#endif

/// The limit of a row whose largest score is this.
precise float limit_for(float most) { return most * unit + headroom; }

float place_of(const in uint r, const in uint c, const in float x) { return float(r * N + c); }
float larger(const in float a, const in float b) { return maximum(a, b); }
float sum_of(const in float a, const in float b) { return a + b; }

/// Makes scores of the products, one by one; of hidden keys -inf.
void find_scores(uint from) {
  MATRIX place;  // of each component in its matrix
  coopMatPerElementNV(place, limits, place_of);
  [[unroll]] for (uint s = 0; s < across; ++s)
    [[unroll]] for (uint c = 0; c < place.length(); ++c) {
      const uint at = uint(place[c]), i = query(at / N), j = from + s * N + at % N;
      float x = scores[s][c];
      bool hidden = is_out_of_sight(i, j);
      if (!hidden && !plain) x = score(x, i, j, hidden);
      else if (!hidden && has_mask) hidden = uint(mask[index_of(mask_strides, i, j)]) == 0u;
      x = is_nan(x) ? x : max(x, least_score);
      scores[s][c] = hidden ? uintBitsToFloat(minus_infinity_bits) : x;
    }
}

int last;  // of the workgroup's queries

/// The products of a block, or scores where these are not the same to all queries of the workgroup.
void take_scores(uint from) {
  [[unroll]] for (uint s = 0; s < across; ++s) scores[s] = upcoming[s];
  const bool whole = plain && !has_mask && is_seen_whole(from, int(first), last);
  if (!whole && from < end) find_scores(from);
}

void raise_limits() {
  MATRIX most = scores[0], keep;
  [[unroll]] for (uint j = 1; j < across; ++j)
    [[unroll]] for (uint c = 0; c < most.length(); ++c) most[c] = maximum(most[c], scores[j][c]);
  coopMatReduceNV(keep, most, gl_CooperativeMatrixReduceRowNV, larger);
  [[unroll]] for (uint c = 0; c < keep.length(); ++c) {
    const float most_of_row = keep[c], before = limits[c];
    const float now = most_of_row * unit > before ? limit_for(most_of_row) : before;
    limits[c] = now;
    keep[c] = share_of(before - now);
    if (is_nan(most_of_row) || most_of_row == positive_infinity()) sums[c] = quiet_nan();
  }
  sums = sums * keep;
  [[unroll]] for (uint j = 0; j < wide; ++j) results[j] = results[j] * keep;
}

/// Raises the limits of a subgroup's queries where a score is above them, or a NaN.
void keep_limits() {
  bool over = false;
  [[unroll]] for (uint s = 0; s < across; ++s)
    [[unroll]] for (uint c = 0; c < limits.length(); ++c) {
      const bool beyond = !(fma(scores[s][c], unit, -limits[c]) <= 0.0);
      over = over || beyond;
    }
  const uvec4 lanes_over = subgroupBallot(over);
  if ((lanes_over.x | lanes_over.y | lanes_over.z | lanes_over.w) != 0u) raise_limits();
}

/// Of matrix s of the scores.
void find_weights(uint s, out LEFT weights[PARTS]) {
  MATRIX part, rest;
  [[unroll]] for (uint c = 0; c < rest.length(); ++c) {
    rest[c] = weight_of(fma(scores[s][c], unit, -limits[c]));
    sums[c] += rest[c];
  }
  [[unroll]] for (uint p = 0; p < PARTS - 1u; ++p) {
    [[unroll]] for (uint c = 0; c < rest.length(); ++c) {
      part[c] = uintBitsToFloat(floatBitsToUint(rest[c]) & part_mask);
      rest[c] -= part[c];
    }
    weights[p] = LEFT(part);
  }
  weights[PARTS - 1u] = LEFT(rest);
}

void multiply_weights_and_v(uint at) {
  const uint together = 4u;  // products that do not wait for one another
  [[unroll]] for (uint t = 0; t < across; ++t) {
    LEFT weights[PARTS];
    find_weights(t, weights);
    [[unroll]] for (uint j = 0; j < wide; j += together) {
      RIGHT right[together];
      [[unroll]] for (uint f = 0; f < together; ++f)
        if (j + f < wide)
          coopMatLoad(right[f], tile, at + t * N * v_pitch + (j + f) * N / 8u, v_pitch,
                      gl_CooperativeMatrixLayoutRowMajor);
      [[unroll]] for (uint p = 0; p < PARTS; ++p)
        [[unroll]] for (uint f = 0; f < together; ++f)
          if (j + f < wide) results[j + f] = coopMatMulAdd(weights[p], right[f], results[j + f]);
    }
  }
}

/// 1 of rows that have weights, else what their elements are.
float outcome(const in uint r, const in uint c, const in float limit) {
  // Where scores are not looked at one by one, those of -inf leave no trace.
  if (limit == no_limit) return !has_mask && !has_bias && sees_any(query(r)) ? quiet_nan() : 0.0;
  return limit == least_limit ? quiet_nan() : 1.0;
}

void store_results() {
  const uint strips = (wide + strip - 1u) / strip, mine = gl_SubgroupID * room, pieces = strip * N / 8u;
  MATRIX total, factor;
  coopMatReduceNV(total, sums, gl_CooperativeMatrixReduceRowNV, sum_of);
  coopMatPerElementNV(factor, limits, outcome);
  [[unroll]] for (uint c = 0; c < total.length(); ++c) {
    const bool usual = factor[c] == 1.0 && !is_nan(total[c]);
    factor[c] = usual ? 1.0 / total[c] : is_nan(total[c]) ? total[c] : factor[c];
    total[c] = usual ? total[c] : 1.0;
  }
  [[unroll]] for (uint s = 0; s < strips; ++s) {
    [[unroll]] for (uint j = 0; j < wide; ++j)
      if (j / strip == s) {
        MATRIX y = results[j];
        [[unroll]] for (uint c = 0; c < y.length(); ++c) {
          const float quotient = y[c] * factor[c];
          y[c] = rounded(fma(fma(-quotient, total[c], y[c]), factor[c], quotient));
        }
        coopMatStore(RESULT(y), tile, mine + j % strip * N / 8u, strip_pitch, gl_CooperativeMatrixLayoutRowMajor);
      }
    subgroupBarrier();
    for (uint e = gl_SubgroupInvocationID; e < M * pieces; e += lanes) {
      const uint i = query(e / pieces), piece = s * pieces + e % pieces;
      if (i < Sq && piece < Dv / 8u)
        wide_y[(y_begin() + i * y_row) / 8u + piece] = tile[mine + e / pieces * strip_pitch + e % pieces];
    }
    subgroupBarrier();
  }
}

/// The score of a key by a dot product of its own.
float single_score(uint i, uint j, out bool hidden) {
  hidden = is_out_of_sight(i, j);
  if (hidden) return 0.0;
  float x = 0.0;
  for (uint d = 0; d < D; ++d) x = fma(load(q[q_begin() + i * q_row + d]), load(k[k_begin() + j * k_row + d]), x);
  x = score(x, i, j, hidden);
  return is_nan(x) ? x : max(x, least);
}

/// All results from the start, element by element: where v has infinities or NaNs, which may not meet the weight of a
/// hidden key, nor halves of one, or is so large that weighted sums may be infinite. To an infinity a weight too small
/// for f32 is not 0.
void store_one_by_one() {
  for (uint e = gl_LocalInvocationID.x; e < rows * (Dv / 8u); e += invocations) {
    const uint i = first + e / (Dv / 8u), column = e % (Dv / 8u) * 8u;
    bool hidden;
    float most = no_limit, sum = 0.0, found[8];
    for (uint j = begin; j < end; ++j) {
      const float x = single_score(i, j, hidden);
      if (!hidden) most = maximum(most, x);
    }
    [[unroll]] for (uint c = 0; c < 8u; ++c) found[c] = 0.0;
    for (uint j = begin; j < end; ++j) {
      const float difference = (single_score(i, j, hidden) - most) * 1.44269504;
      if (hidden) continue;
      const float weight = share_of(difference);
      sum += weight;
      const float of_infinity = difference < -1074.0 ? 0.0 : 1.0;  // 0 in f64 too
      [[unroll]] for (uint c = 0; c < 8u; ++c) {
        const float x = load(v[v_begin() + j * v_row + column + c]);
        found[c] = fma(is_infinite(x) ? of_infinity : weight, x, found[c]);
      }
    }
    if (is_nan(most) || most == positive_infinity() || most == least) sum = quiet_nan();
    uint x[8];
    for (uint c = 0; c < 8u; ++c) x[c] = uint(store(most == no_limit ? 0.0 : divide(found[c], sum)));
    if (i < Sq) wide_y[(y_begin() + i * y_row + column) / 8u] = joined_halves(x);
  }
}

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
  unit = 1.44269504 * (plain ? scale : 1.0);
  least_score = least / max(unit, 1.0);
  least_limit = limit_for(least_score);
  limits = MATRIX(no_limit);
  sums = MATRIX(0.0);
  [[unroll]] for (uint j = 0; j < wide; ++j) results[j] = MATRIX(0.0);
  barrier();  // every subgroup has its queries
  if (buffers == 1u) {
    for (uint from = begin; from < end; from += keys) {
      stage_k(0u);
      barrier();  // every subgroup is done with v
      fetch_k(from + keys);
      multiply_q_and_k(0u);
      take_scores(from);
      keep_limits();
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
    uint now = 0u;  // which of the buffers v of this block goes to
    for (uint from = begin; from < end; from += keys, now ^= 1u) {
      keep_limits();
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
