#version 450
// attention.comp's f16 variant with products by cooperative matrices of M x K by K x N, summed in f32. A subgroup
// holds M queries, whose results it keeps in matrices, and a workgroup's subgroups share blocks of keys in shared
// memory. What a key weighs is rounded to 11 bits and the rest to 11 more, so that nothing is lost beside sums in f32.
// Operands are read in pieces of 8 neighbouring elements.
#define VARIANT_f16 1
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#pragma use_vulkan_memory_model
#include "element.glsl"
#include "index.glsl"
#include "math.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint M = 16;
layout(constant_id = 2) const uint N = 16;
layout(constant_id = 3) const uint K = 16;
layout(constant_id = 4) const uint subgroups = 4;
layout(constant_id = 5) const uint lanes = 32;  // of a subgroup, a multiple of M
layout(constant_id = 6) const uint keys = 32;   // of a block, a multiple of N and of K
layout(constant_id = 7) const uint D = 16;
layout(constant_id = 8) const uint Dv = 16;
layout(constant_id = 9) const bool hides = false;  // some keys may be hidden from some queries
layout(constant_id = 10) const bool has_mask = false;
layout(constant_id = 11) const bool has_bias = false;
layout(constant_id = 12) const bool capped = false;
layout(constant_id = 13) const uint length_words = 0;
#include "attention.glsl"

layout(set = 0, binding = 0) readonly buffer WideQ { uvec4 wide_q[]; };
layout(set = 0, binding = 1) readonly buffer WideK { uvec4 wide_k[]; };
layout(set = 0, binding = 2) readonly buffer WideV { uvec4 wide_v[]; };
layout(set = 0, binding = 6) writeonly buffer WideY { uvec4 wide_y[]; };

const uint rows = subgroups * M, invocations = subgroups * lanes;
const uint deep = (D + K - 1u) / K, wide = (Dv + N - 1u) / N;  // matrices of a query, and of a result
const uint padded = (deep * K > wide * N ? deep * K : wide * N) / 8u;  // pieces of a line of a tile
const uint tile_pitch = padded + 1u, tile_lines = keys > rows ? keys : rows;
shared uvec4 tile[tile_lines * tile_pitch];  // of q, then of k and v
// Of each subgroup: scores in f32, then the weights' two parts in f16, a word for two; then matrices of the result.
const uint score_pitch = keys + 4u, half_pitch = keys / 2u + 4u;
const uint of_weights = 2u * M * half_pitch + (hides ? M * N : 0u);
const uint work = M * score_pitch > of_weights ? M * score_pitch : of_weights;
shared uint words[subgroups * work];
shared float factors[rows];
shared uint special;  // whether a block of v has an infinity or a NaN

coopmat<float16_t, gl_ScopeSubgroup, M, K, gl_MatrixUseA> queries[deep];
coopmat<float, gl_ScopeSubgroup, M, N, gl_MatrixUseAccumulator> results[wide];

// A lane has the keys part, part + parts, ... of one row.
const uint parts = lanes / M, keys_each = keys / parts;
float peak, sum;  // of its row

void load_q() {
  for (uint e = gl_LocalInvocationID.x; e < rows * padded; e += invocations) {
    const uint r = e / padded, piece = e % padded;
    const bool inside = first + r < Sq && piece < D / 8u;
    tile[r * tile_pitch + piece] = inside ? wide_q[(q_begin(D) + (first + r) * q_row) / 8u + piece] : uvec4(0u);
  }
}

// The next block of k and of v are on their way in registers while others are multiplied.
const uint k_pieces = deep * K / 8u, v_pieces = wide * N / 8u;  // of a line
const uint k_each = (keys * k_pieces + invocations - 1u) / invocations;
const uint v_each = (keys * v_pieces + invocations - 1u) / invocations;
uvec4 fetched_k[k_each], fetched_v[v_each];

void fetch_k(uint from) {
  [[unroll]] for (uint i = 0; i < k_each; ++i) {
    const uint e = gl_LocalInvocationID.x + i * invocations, r = e / k_pieces, piece = e % k_pieces;
    const bool inside = r < keys && from + r < end && piece < D / 8u;
    fetched_k[i] = uvec4(0u);
    if (inside) fetched_k[i] = wide_k[(k_begin(D) + (from + r) * k_row) / 8u + piece];
  }
}
void stage_k() {
  [[unroll]] for (uint i = 0; i < k_each; ++i) {
    const uint e = gl_LocalInvocationID.x + i * invocations;
    if (e < keys * k_pieces) tile[e / k_pieces * tile_pitch + e % k_pieces] = fetched_k[i];
  }
}
void fetch_v(uint from) {
  [[unroll]] for (uint i = 0; i < v_each; ++i) {
    const uint e = gl_LocalInvocationID.x + i * invocations, r = e / v_pieces, piece = e % v_pieces;
    const bool inside = r < keys && from + r < end && piece < Dv / 8u;
    fetched_v[i] = uvec4(0u);
    if (inside) fetched_v[i] = wide_v[(v_begin(Dv) + (from + r) * v_row) / 8u + piece];
  }
}
bool has_special(uvec4 piece) {
  const uvec4 low = piece & 0x7C00u, high = piece & 0x7C000000u;
  return any(equal(low, uvec4(0x7C00u))) || any(equal(high, uvec4(0x7C000000u)));
}
void stage_v() {
  bool found = false;
  [[unroll]] for (uint i = 0; i < v_each; ++i) {
    const uint e = gl_LocalInvocationID.x + i * invocations;
    if (e < keys * v_pieces) tile[e / v_pieces * tile_pitch + e % v_pieces] = fetched_v[i];
    found = found || has_special(fetched_v[i]);
  }
  if (hides && found) special = 1u;
}

void multiply_q_and_k(uint mine) {
  [[unroll]] for (uint j = 0; j < keys / N; ++j) {
    coopmat<float, gl_ScopeSubgroup, M, N, gl_MatrixUseAccumulator> s =
        coopmat<float, gl_ScopeSubgroup, M, N, gl_MatrixUseAccumulator>(0.0);
    [[unroll]] for (uint t = 0; t < deep; ++t) {
      coopmat<float16_t, gl_ScopeSubgroup, K, N, gl_MatrixUseB> right;
      coopMatLoad(right, tile, j * N * tile_pitch + t * K / 8u, tile_pitch, gl_CooperativeMatrixLayoutColumnMajor);
      s = coopMatMulAdd(queries[t], right, s);
    }
    coopMatStore(s, words, mine + j * N, score_pitch, gl_CooperativeMatrixLayoutRowMajor);
  }
}

float across_row(float x, bool is_sum) {
  [[unroll]] for (uint distance = 1u; distance < parts; distance *= 2u) {
    const float other = subgroupShuffleXor(x, distance);
    x = is_sum ? x + other : maximum(x, other);
  }
  return x;
}

/// Makes weights of the scores, a hidden key's of -0, and the factor of what was found before.
void find_weights(uint mine, uint from) {
  const uint row = gl_SubgroupInvocationID / parts, part = gl_SubgroupInvocationID % parts;
  const uint i = first + gl_SubgroupID * M + row;
  float s[keys_each];
  uint hidden_here = 0u;
  float largest = uintBitsToFloat(minus_infinity_bits);
  [[unroll]] for (uint c = 0; c < keys_each; ++c) {
    const uint j = from + part + c * parts;
    s[c] = uintBitsToFloat(words[mine + row * score_pitch + part + c * parts]);
    bool hidden = is_out_of_sight(i, j);
    if (!hidden) s[c] = score(s[c], i, j, hidden);
    if (hidden) hidden_here |= 1u << c;
    else largest = maximum(largest, s[c]);
  }
  subgroupBarrier();  // all scores are read
  const float before = peak;
  peak = maximum(before, across_row(largest, false));
  const float origin = floatBitsToUint(peak) == minus_infinity_bits ? 0.0 : peak, keep = expf(before - origin);
  float here = 0.0;
  [[unroll]] for (uint c = 0; c < keys_each; ++c) {
    float weight = 0.0;
    if ((hidden_here >> c & 1u) == 0u) {
      weight = expf(s[c] - origin);
      if (is_nan(weight)) weight = quiet_nan();
      here += weight;
    }
    s[c] = weight;
  }
  sum = sum * keep + across_row(here, true);
  if (part == 0u) factors[gl_SubgroupID * M + row] = keep;
  // Two neighbouring keys to a word: of two lanes, or of one that has them all.
  uint halves[keys_each];  // of a weight the rounded one, and the rest above it
  [[unroll]] for (uint c = 0; c < keys_each; ++c) {
    const bool hidden = (hidden_here >> c & 1u) != 0u;
    const uint high = hidden ? 0x8000u : f16_from_float(s[c]);
    const uint low = hidden || is_nan(s[c]) ? 0u : f16_from_float(s[c] - float_from_f16(high));
    halves[c] = high | low << 16;
  }
  [[unroll]] for (uint c = 0; c < keys_each; c += parts > 1u ? 1u : 2u) {
    const uint next = parts > 1u ? subgroupShuffleXor(halves[c], 1u) : halves[min(c + 1u, keys_each - 1u)];
    const uint at = mine + row * half_pitch + (part + c * parts) / 2u;
    if (parts > 1u && part % 2u != 0u) continue;
    words[at] = halves[c] & 0xFFFFu | next << 16;
    words[at + M * half_pitch] = halves[c] >> 16 | next & 0xFFFF0000u;
  }
}

void scale_results() {
  coopmat<float, gl_ScopeSubgroup, M, N, gl_MatrixUseAccumulator> keep;
  coopMatLoad(keep, factors, gl_SubgroupID * M, 0u, gl_CooperativeMatrixLayoutColumnMajor);
  [[unroll]] for (uint j = 0; j < wide; ++j) results[j] = results[j] * keep;
}

void multiply_weights_and_v(uint mine) {
  [[unroll]] for (uint t = 0; t < keys / K; ++t) {
    coopmat<float16_t, gl_ScopeSubgroup, M, K, gl_MatrixUseA> high, low;
    coopMatLoad(high, words, mine + t * K / 2u, half_pitch, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(low, words, mine + M * half_pitch + t * K / 2u, half_pitch, gl_CooperativeMatrixLayoutRowMajor);
    [[unroll]] for (uint j = 0; j < wide; ++j) {
      coopmat<float16_t, gl_ScopeSubgroup, K, N, gl_MatrixUseB> right;
      coopMatLoad(right, tile, t * K * tile_pitch + j * N / 8u, tile_pitch, gl_CooperativeMatrixLayoutRowMajor);
      results[j] = coopMatMulAdd(high, right, results[j]);
      results[j] = coopMatMulAdd(low, right, results[j]);
    }
  }
}

float number(uint from, uint row, uint column) {
  return float_from_f16(words[from + row * half_pitch + column / 2u] >> column % 2u * 16u & 0xFFFFu);
}

/// The same where v has infinities or NaNs, of which a hidden key's may not count: element by element.
void multiply_special(uint mine, uint scratch) {
  for (uint j = 0; j < wide; ++j) {
    float found[M * N / lanes];
    [[unroll]] for (uint e = 0; e < M * N / lanes; ++e) {
      const uint at = gl_SubgroupInvocationID + e * lanes, row = at / N, column = j * N + at % N;
      found[e] = 0.0;
      for (uint key = 0; key < keys; ++key) {
        const float weight = number(mine, row, key);
        if (floatBitsToUint(weight) == 0x80000000u) continue;
        const uint word = tile[key * tile_pitch + column / 8u][column / 2u % 4u];
        found[e] = fma(weight + number(mine + M * half_pitch, row, key),
                       float_from_f16(word >> column % 2u * 16u & 0xFFFFu), found[e]);
      }
    }
    [[unroll]] for (uint e = 0; e < M * N / lanes; ++e)
      words[scratch + gl_SubgroupInvocationID + e * lanes] = floatBitsToUint(found[e]);
    subgroupBarrier();
    coopmat<float, gl_ScopeSubgroup, M, N, gl_MatrixUseAccumulator> added;
    coopMatLoad(added, words, scratch, N, gl_CooperativeMatrixLayoutRowMajor);
    [[unroll]] for (uint f = 0; f < wide; ++f)
      if (f == j) results[f] += added;
    subgroupBarrier();
  }
}

// In place of a sum: no key is allowed, or all that are have scores of -inf.
const float nothing_allowed = -1.0, nothing_weighs = -2.0;

void store_results(uint mine) {
  for (uint j = 0; j < wide; ++j) {
    [[unroll]] for (uint f = 0; f < wide; ++f)
      if (f == j) coopMatStore(results[f], words, mine, N, gl_CooperativeMatrixLayoutRowMajor);
    subgroupBarrier();
    for (uint e = gl_SubgroupInvocationID; e < M * N / 8u; e += lanes) {
      const uint r = e * 8u / N, column = j * N + e * 8u % N, i = first + gl_SubgroupID * M + r;
      const float total = factors[gl_SubgroupID * M + r];
      uint x[8];
      [[unroll]] for (uint c = 0; c < 8u; ++c) {
        const float value = divide(uintBitsToFloat(words[mine + e * 8u + c]), total);
        x[c] = uint(store(total == nothing_allowed ? 0.0 : total == nothing_weighs ? quiet_nan() : value));
      }
      if (i < Sq && column < Dv)
        wide_y[(y_begin(Dv) + i * y_row + column) / 8u] = joined_halves(x);
    }
    subgroupBarrier();
  }
}

void main() {
  const uint blocks = (Sq + rows - 1u) / rows, task = group_index();
  if (task >= tasks) return;
  begin_task(task, blocks, rows);
  const uint mine = gl_SubgroupID * work;
  load_q();
  barrier();
  [[unroll]] for (uint t = 0; t < deep; ++t)
    coopMatLoad(queries[t], tile, gl_SubgroupID * M * tile_pitch + t * K / 8u, tile_pitch,
                gl_CooperativeMatrixLayoutRowMajor);
  [[unroll]] for (uint j = 0; j < wide; ++j)
    results[j] = coopmat<float, gl_ScopeSubgroup, M, N, gl_MatrixUseAccumulator>(0.0);
  peak = uintBitsToFloat(minus_infinity_bits);
  sum = 0.0;
  fetch_k(begin);
  for (uint from = begin; from < end; from += keys) {
    barrier();  // the tile may be written again
    if (gl_LocalInvocationID.x == 0u) special = 0u;
    stage_k();
    fetch_v(from);
    barrier();
    multiply_q_and_k(mine);
    barrier();  // every subgroup is done with k
    stage_v();
    fetch_k(from + keys);
    find_weights(mine, from);
    barrier();
    scale_results();
    if (hides && special != 0u) multiply_special(mine, mine + 2u * M * half_pitch);
    else multiply_weights_and_v(mine);
  }
  subgroupBarrier();
  if (gl_SubgroupInvocationID % parts == 0u) {
    const uint bits = floatBitsToUint(peak);
    factors[gl_SubgroupID * M + gl_SubgroupInvocationID / parts] =
        bits == minus_infinity_bits ? nothing_allowed : bits == least_bits ? nothing_weighs : sum;
  }
  subgroupBarrier();
  store_results(mine);
}
