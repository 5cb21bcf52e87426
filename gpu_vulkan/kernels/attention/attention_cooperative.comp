#version 450
// attention.comp's f16 variant with products by cooperative matrices of M x N by N x N, summed in f32. A subgroup holds
// `each` times M queries and all that belongs to them, scores, weights and results, in matrices; a workgroup's
// subgroups share blocks of keys and values in shared memory. A weight is kept in two f16 parts, so that nothing is
// lost beside sums in f32. Operands are read in pieces of 8 neighbouring elements.
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
layout(constant_id = 4) const uint lanes = 32;  // of a subgroup, a multiple of M
layout(constant_id = 5) const uint each = 1;    // matrices of queries to a subgroup
layout(constant_id = 6) const uint keys = 32;   // of a block, a multiple of N
layout(constant_id = 7) const uint D = 16;
layout(constant_id = 8) const uint Dv = 16;
layout(constant_id = 9) const bool has_mask = false;
layout(constant_id = 10) const bool has_bias = false;
layout(constant_id = 11) const bool capped = false;
layout(constant_id = 12) const uint length_words = 0;
layout(constant_id = 13) const bool plain = false;  // scores are products times a scale above 0
#include "gpu_vulkan/kernels/attention/attention.glsl"

// Queries g of a subgroup are round_rows further than those before.
const uint round_rows = subgroups * M, rows = each * round_rows, invocations = subgroups * lanes;
const uint deep = (D + N - 1u) / N, wide = (Dv + N - 1u) / N, across = keys / N;  // matrices of q, y, scores
const uint k_pieces = deep * N / 8u, v_pieces = wide * N / 8u;                    // of a line
#include "gpu_vulkan/kernels/attention/attention_blocks.glsl"
const uint k_pitch = k_pieces + 1u, v_pitch = v_pieces + 1u, v_tile = keys * k_pitch;
const uint for_keys = v_tile + keys * v_pitch, for_queries = round_rows * k_pitch;
shared uvec4 tile[for_keys > for_queries ? for_keys : for_queries];  // of q, then of k and, from v_tile, of v
// Words of each subgroup: a matrix in f32, or two in f16; then a number for each row.
const uint half_pitch = N / 2u + 4u;
const uint of_matrix = 2u * M * half_pitch > M * N ? 2u * M * half_pitch : M * N, work = of_matrix + M;
// Whatever is shared consists of whole 16 bytes, since drivers store matrices by so many.
shared uint words[subgroups * work];
float number(uint at) { return uintBitsToFloat(words[at]); }
void set_number(uint at, float x) { words[at] = floatBitsToUint(x); }

// Of this block of keys and of the next, in turn: whether scores are over limits, whether v has an infinity or a NaN.
shared uint flags[4];

#define MATRIX coopmat<float, gl_ScopeSubgroup, M, N, gl_MatrixUseAccumulator>
#define HALVES coopmat<float16_t, gl_ScopeSubgroup, M, N, gl_MatrixUseAccumulator>
#define LEFT coopmat<float16_t, gl_ScopeSubgroup, M, N, gl_MatrixUseA>
#define RIGHT coopmat<float16_t, gl_ScopeSubgroup, N, N, gl_MatrixUseB>

LEFT queries[each * deep];
MATRIX scores[each * across], limits[each], sums[each], results[each * wide];

// Where a subgroup goes through a matrix in `words`, a lane has elements of one row.
const uint parts = lanes / M, columns_each = N / parts;
uint mine, row, part;  // mine: the first of the subgroup's words

/// The query in row r of matrix g.
uint query(uint g, uint r) { return first + g * round_rows + gl_SubgroupID * M + r; }

void load_queries() {
  [[unroll]] for (uint g = 0; g < each; ++g) {
    for (uint e = gl_LocalInvocationID.x; e < round_rows * k_pieces; e += invocations) {
      const uint r = e / k_pieces, piece = e % k_pieces, i = first + g * round_rows + r;
      const bool inside = i < Sq && piece < D / 8u;
      tile[r * k_pitch + piece] = inside ? wide_q[(q_begin() + i * q_row) / 8u + piece] : uvec4(0u);
    }
    barrier();
    [[unroll]] for (uint t = 0; t < deep; ++t)
      coopMatLoad(queries[g * deep + t], tile, gl_SubgroupID * M * k_pitch + t * N / 8u, k_pitch,
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
/// Whether there is an infinity or a NaN, whose exponent's carry reaches the sign.
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
  [[unroll]] for (uint s = 0; s < each * across; ++s) scores[s] = MATRIX(0.0);
  [[unroll]] for (uint j = 0; j < across; ++j)
    [[unroll]] for (uint t = 0; t < deep; ++t) {
      RIGHT right;
      coopMatLoad(right, tile, j * N * k_pitch + t * N / 8u, k_pitch, gl_CooperativeMatrixLayoutColumnMajor);
      [[unroll]] for (uint g = 0; g < each; ++g)
        scores[g * across + j] = coopMatMulAdd(queries[g * deep + t], right, scores[g * across + j]);
    }
}

// Scores are products as they are where that is all that they depend on, and `unit` makes exponents of 2 of their
// differences. A weight is 2^15 e^(score - limit), not above 2^15 as long as no score of the row is above its limit,
// which is otherwise made the largest so far and some more, so that it seldom has to be.
const float top = 15.0, headroom = 5.0, deepest = -115.0;  // as exponents of 2
float unit, lowest_difference;
// What has no weight beside others, but is not hidden; and the limit of rows that have seen hidden keys only.
const float least_score = -8.50705917e37, no_limit = -1.70141183e38;

/// 2^up of a difference that is not above 0, within 4 ulp: Vulkan promises 3 + 2 |x| of 2^x, and |x| < 0.501 here.
/// 1.5 2^23 + m holds the whole number m in its low bits. What is below 2^-115 is taken for that.
precise float power(float difference, float up) {
  const float d = max(difference, lowest_difference);
  const float k = fma(d, unit, 12582912.0 + up), f = fma(d, unit, 12582912.0 + up - k);
  return uintBitsToFloat(floatBitsToUint(exp2(f)) + (floatBitsToUint(k) << 23));
}

/// Makes scores of the products, one by one; of hidden keys -inf.
void find_scores(uint from) {
  [[unroll]] for (uint c = 0; c < columns_each; ++c) {
    const uint at = row * N + part * columns_each + c;
    set_number(mine + at, float(at));
  }
  subgroupBarrier();
  MATRIX place;  // of each component in its matrix
  coopMatLoad(place, words, mine, N, gl_CooperativeMatrixLayoutRowMajor);
  subgroupBarrier();
  [[unroll]] for (uint s = 0; s < each * across; ++s)
    [[unroll]] for (uint c = 0; c < place.length(); ++c) {
      const uint at = uint(place[c]), i = query(s / across, at / N), j = from + s % across * N + at % N;
      float x = scores[s][c];
      bool hidden = is_out_of_sight(i, j);
      if (!hidden && !plain) x = score(x, i, j, hidden);
      else if (!hidden && has_mask) hidden = uint(mask[index_of(mask_strides, i, j)]) == 0u;
      x = is_nan(x) ? x : max(x, least_score);
      scores[s][c] = hidden ? uintBitsToFloat(minus_infinity_bits) : x;
    }
}

/// The largest or the sum of each row of x, in all of its columns.
MATRIX by_row(MATRIX x, bool is_sum) {
  coopMatStore(x, words, mine, N, gl_CooperativeMatrixLayoutRowMajor);
  subgroupBarrier();
  float y = number(mine + row * N + part);
  [[unroll]] for (uint c = 1; c < columns_each; ++c) {
    const float other = number(mine + row * N + part + c * parts);
    y = is_sum ? y + other : maximum(y, other);
  }
  [[unroll]] for (uint distance = 1u; distance < parts; distance *= 2u) {
    const float other = subgroupShuffleXor(y, distance);
    y = is_sum ? y + other : maximum(y, other);
  }
  if (part == 0u) set_number(mine + of_matrix + row, y);
  subgroupBarrier();
  coopMatLoad(x, words, mine + of_matrix, 0u, gl_CooperativeMatrixLayoutColumnMajor);
  subgroupBarrier();
  return x;
}

void raise_limits() {
  [[unroll]] for (uint g = 0; g < each; ++g) {
    MATRIX most = scores[g * across];
    [[unroll]] for (uint j = 1; j < across; ++j)
      [[unroll]] for (uint c = 0; c < most.length(); ++c) most[c] = maximum(most[c], scores[g * across + j][c]);
    most = by_row(most, false);
    MATRIX keep;
    [[unroll]] for (uint c = 0; c < most.length(); ++c) {
      const float before = limits[g][c], now = most[c] > before ? most[c] + headroom / unit : before;
      limits[g][c] = now;
      keep[c] = power(before - now, 0.0);
      if (is_nan(most[c]) || most[c] == positive_infinity()) sums[g][c] = quiet_nan();
    }
    sums[g] = sums[g] * keep;
    [[unroll]] for (uint j = 0; j < wide; ++j) results[g * wide + j] = results[g * wide + j] * keep;
  }
}

/// Whether x is above the limit, or a NaN: !(x <= limit), which compilers may take for x > limit.
bool exceeds(float x, float limit) { return is_nan(x) || x > limit; }

/// Of those that this lane holds.
bool are_over_limits() {
  bool over = false;
  [[unroll]] for (uint s = 0; s < each * across; ++s)
    [[unroll]] for (uint c = 0; c < scores[0].length(); ++c)
      over = over || exceeds(scores[s][c], limits[s / across][c]);
  return over;
}

LEFT as_left(HALVES x, uint slot) {
  LEFT y;
  const uint at = mine + slot * M * half_pitch;
  coopMatStore(x, words, at, half_pitch, gl_CooperativeMatrixLayoutRowMajor);
  subgroupBarrier();
  coopMatLoad(y, words, at, half_pitch, gl_CooperativeMatrixLayoutRowMajor);
  subgroupBarrier();
  return y;
}

const uint together = 4;

void multiply_weights_and_v() {
  [[unroll]] for (uint t = 0; t < across; ++t) {
    LEFT high[each], low[each];
    [[unroll]] for (uint g = 0; g < each; ++g) {
      HALVES upper, lower;
      [[unroll]] for (uint c = 0; c < upper.length(); ++c) {
        const float weight = power(scores[g * across + t][c] - limits[g][c], top);
        sums[g][c] += weight;
        const float rounded = uintBitsToFloat(floatBitsToUint(weight) & 0xFFFFE000u);  // to 11 bits
        upper[c] = float16_t(rounded);
        lower[c] = float16_t(weight - rounded);
      }
      high[g] = as_left(upper, 0u);
      low[g] = as_left(lower, 1u);
    }
    // Products that do not wait for one another.
    [[unroll]] for (uint j = 0; j < wide; j += together) {
      RIGHT right[together];
      [[unroll]] for (uint f = 0; f < together; ++f)
        if (j + f < wide)
          coopMatLoad(right[f], tile, v_tile + t * N * v_pitch + (j + f) * N / 8u, v_pitch,
                      gl_CooperativeMatrixLayoutRowMajor);
      [[unroll]] for (uint h = 0; h < 2u * each; ++h)
        [[unroll]] for (uint f = 0; f < together; ++f)
          if (j + f < wide) {
            const uint r = h % each * wide + j + f;
            if (h < each) results[r] = coopMatMulAdd(high[h % each], right[f], results[r]);
            else results[r] = coopMatMulAdd(low[h % each], right[f], results[r]);
          }
    }
  }
}

float element_of_v(uint key, uint column) {
  const uint word = tile[v_tile + key * v_pitch + column / 8u][column / 2u % 4u];
  return float_from_f16(word >> column % 2u * 16u & 0xFFFFu);
}

/// The same where v has infinities or NaNs, which may not meet the weight of a hidden key, nor halves of one: element
/// by element. A weight too small for f32 is not 0.
void multiply_special(bool one_by_one) {
  for (uint s = 0; s < each * across; ++s) {
    const uint g = s / across, t = s % across;
    MATRIX weights;
    [[unroll]] for (uint f = 0; f < each * across; ++f)
      [[unroll]] for (uint c = 0; c < weights.length(); ++c)
        if (f == s) {
          const float x = scores[f][c] - limits[f / across][c];
          weights[c] = power(x, top);
          sums[f / across][c] += weights[c];
          if (x * unit < -1074.0) weights[c] = 0.0;  // in f64 too
          if (one_by_one && floatBitsToUint(scores[f][c]) == minus_infinity_bits) weights[c] = -1.0;
        }
    coopMatStore(weights, words, mine, N, gl_CooperativeMatrixLayoutRowMajor);
    subgroupBarrier();
    float weight[N];  // of the lane's row
    [[unroll]] for (uint key = 0; key < N; ++key) weight[key] = number(mine + row * N + key);
    subgroupBarrier();
    for (uint j = 0; j < wide; ++j) {
      for (uint c = 0; c < columns_each; ++c) {
        const uint column = part * columns_each + c;
        float found = 0.0;
        [[unroll]] for (uint key = 0; key < N; ++key)
          if (weight[key] != -1.0) found = fma(weight[key], element_of_v(t * N + key, j * N + column), found);
        set_number(mine + row * N + column, found);
      }
      subgroupBarrier();
      MATRIX added;
      coopMatLoad(added, words, mine, N, gl_CooperativeMatrixLayoutRowMajor);
      [[unroll]] for (uint f = 0; f < each * wide; ++f)
        if (f == g * wide + j) results[f] += added;
      subgroupBarrier();
    }
  }
}

/// What has been found for a row: its sum, or one of these.
const float nothing_allowed = -1.0, nothing_weighs = -2.0;

void store_results() {
  [[unroll]] for (uint g = 0; g < each; ++g) {
    MATRIX total = by_row(sums[g], true);
    [[unroll]] for (uint c = 0; c < total.length(); ++c) {
      if (limits[g][c] == no_limit && !is_nan(total[c])) total[c] = nothing_allowed;
      if (limits[g][c] == least_score) total[c] = nothing_weighs;
    }
    total = by_row(total, false);
    for (uint j = 0; j < wide; ++j) {
      [[unroll]] for (uint f = 0; f < wide; ++f)
        if (f == j) coopMatStore(results[g * wide + f], words, mine, N, gl_CooperativeMatrixLayoutRowMajor);
      subgroupBarrier();
      for (uint e = gl_SubgroupInvocationID; e < M * N / 8u; e += lanes) {
        const uint r = e * 8u / N, column = j * N + e * 8u % N, i = query(g, r);
        float sum = number(mine + of_matrix + r);
        // Where scores are not looked at one by one, those of -inf leave no trace.
        if (sum == nothing_allowed && !has_mask && !has_bias && sees_any(i)) sum = nothing_weighs;
        uint x[8];
        [[unroll]] for (uint c = 0; c < 8u; ++c) {
          const float value = divide(number(mine + e * 8u + c), sum);
          x[c] = uint(store(sum == nothing_allowed ? 0.0 : sum == nothing_weighs ? quiet_nan() : value));
        }
        if (i < Sq && column < Dv) wide_y[(y_begin() + i * y_row + column) / 8u] = joined_halves(x);
      }
      subgroupBarrier();
    }
  }
}

/// Of a block of keys, for the queries from `low` to `high`.
bool is_hidden(uint from, int low, int high) {
  return int(from) > high + shift + highest || int(from + keys) <= low + shift + lowest;
}
void main() {
  const uint blocks = (Sq + rows - 1u) / rows, task = group_index();
  if (task >= tasks) return;
  begin_task(task, blocks, rows);
  mine = gl_SubgroupID * work;
  row = gl_SubgroupInvocationID / parts;
  part = gl_SubgroupInvocationID % parts;
  load_queries();
  [[unroll]] for (uint j = 0; j < each * wide; ++j) results[j] = MATRIX(0.0);
  [[unroll]] for (uint g = 0; g < each; ++g) {
    limits[g] = MATRIX(no_limit);
    sums[g] = MATRIX(0.0);
  }
  if (gl_LocalInvocationID.x < 4u) flags[gl_LocalInvocationID.x] = 0u;
  const int low = int(query(0u, 0u)), high = int(min(query(each - 1u, M - 1u), Sq - 1u));  // of the subgroup
  unit = 1.44269504 * (plain ? scale : 1.0);
  lowest_difference = deepest / unit;
  if (begin < end) fetch_k(begin);
  uint now = 0u;
  // All of the workgroup takes the same branch around a barrier, a subgroup's too: not every driver tells them apart.
  for (uint from = begin; from < end; from += keys, now ^= 2u) {
    stage_k();
    fetch_v(from);
    barrier();  // every subgroup is done with v
    if (gl_LocalInvocationID.x < 2u) flags[(now ^ 2u) + gl_LocalInvocationID.x] = 0u;
    if (!is_hidden(from, low, high)) multiply_q_and_k();
    const bool one_by_one = !plain || has_mask || !is_seen_whole(from, int(first), int(min(first + rows, Sq)) - 1);
    if (one_by_one) find_scores(from);
    if (are_over_limits()) flags[now] = 1u;
    if (stage_v()) flags[now + 1u] = 1u;
    fetch_k(from + keys);
    barrier();  // every subgroup is done with k
    if (flags[now] != 0u) raise_limits();
    if (flags[now + 1u] != 0u) multiply_special(one_by_one);
    else multiply_weights_and_v();
  }
  store_results();
}
