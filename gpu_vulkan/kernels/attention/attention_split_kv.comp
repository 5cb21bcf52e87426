#version 450
// Split-KV (flash decoding) attention of few queries: a workgroup has one split of the keys of a kv head, and up to
// `rows` queries of the heads that share the kv head (GQA), so that keys and values are read once for all of them. It
// walks over blocks of keys as attention.comp does and leaves, for every query, what attention_combine.comp combines:
// the row max, the row sum of weights and their product with v. lanes_per_key neighbouring lanes read a key, and
// lanes_per_value a value, 16 bytes at a time. A _kept variant has keys of f16, and its conversions keep subnormal
// numbers.
// variants: f32 f16 bf16 f16_kept f32_narrow f32_narrow_kept
#extension GL_GOOGLE_include_directive : require
#if defined(VARIANT_f16_kept) || defined(VARIANT_f32_narrow_kept)
#extension GL_EXT_spirv_intrinsics : require
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4464], 4459, 16);  // DenormPreserve
#define KEPT 1
#endif
#if defined(VARIANT_f16_kept)
#define VARIANT_f16 1
#elif defined(VARIANT_f32_narrow) || defined(VARIANT_f32_narrow_kept)
#define VARIANT_f32 1
#define NARROW_KEYS 1
#endif
#include "gpu_vulkan/glsl/element.glsl"
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/glsl/math.glsl"

const uint MAXIMUM = 0u, SUM = 1u;
#define HELD float
float combine(float a, float b, uint how) { return how == MAXIMUM ? maximum(a, b) : a + b; }
#define PACK 1u
#include "gpu_vulkan/kernels/rows/rows.glsl"  // a row is the scores of one query

layout(constant_id = 6) const uint rows = 1;  // queries of a workgroup; lanes * rows is the number of invocations
layout(constant_id = 7) const uint keys = 1;  // keys of a block
layout(constant_id = 8) const uint keys_per_lane = 1;  // keys that a lane reads at once, a power of two
layout(constant_id = 9) const uint D = 4;
layout(constant_id = 10) const uint Dv = 4;
layout(constant_id = 11) const uint lanes_per_key = 1;    // a power of two, at most a subgroup
layout(constant_id = 12) const uint lanes_per_value = 1;  // a power of two, at most a subgroup
layout(constant_id = 13) const bool may_mask = false;     // some keys may be masked for some queries
layout(constant_id = 14) const bool has_mask = false;
layout(constant_id = 15) const bool has_bias = false;
layout(constant_id = 16) const bool capped = false;
layout(constant_id = 17) const uint length_words = 0;
layout(constant_id = 18) const bool bias_masks = true;
#ifdef NARROW_KEYS
layout(constant_id = 19) const bool keys_are_bf16 = false;
#endif

#include "gpu_vulkan/kernels/attention/attention.glsl"

layout(set = 0, binding = 1) readonly buffer WideK { uvec4 wide_k[]; };
layout(set = 0, binding = 2) readonly buffer WideV { uvec4 wide_v[]; };
layout(set = 0, binding = 6) writeonly buffer Products { float products[]; };
layout(set = 0, binding = 7) writeonly buffer Statistics { vec2 statistics[]; };  // row max and row sum

#if defined(VARIANT_f32) && !defined(NARROW_KEYS)
const uint E = 4u;  // elements of a piece of 16 bytes
float number(uvec4 piece, uint i) { return uintBitsToFloat(piece[i]); }
#else
const uint E = 8u;
#ifdef KEPT
float number(uvec4 piece, uint i) { return unpackHalf2x16(piece[i / 2u])[i % 2u]; }
#elif defined(NARROW_KEYS)
float number(uvec4 piece, uint i) { return float_of_key(piece[i / 2u] >> i % 2u * 16u & 0xFFFFu); }
#else
float number(uvec4 piece, uint i) { return from_bits(piece[i / 2u] >> i % 2u * 16u & 0xFFFFu); }
#endif
#endif

// Pieces of a line, and those of a lane: every lanes_per_key-th of a key, every lanes_per_value-th of a value.
const uint k_pieces = D / E, v_pieces = Dv / E;
const uint k_each = (k_pieces + lanes_per_key - 1u) / lanes_per_key;
const uint v_each = (v_pieces + lanes_per_value - 1u) / lanes_per_value;
// A staged query is fours of elements in the order in which lanes read them: fours that neighbouring lanes read at once
// lie side by side.
const uint q_fours = k_each * (E / 4u) * lanes_per_key;
// Keys, and values, that are read side by side.
const uint groups = gl_WorkGroupSize.x / lanes_per_key, v_groups = gl_WorkGroupSize.x / lanes_per_value;
shared vec4 q_tile[rows * q_fours];
shared float scores[rows * keys];   // then weights
shared float rescale_of_row[rows];  // the factor of what was found before the block
shared float totals[rows * Dv];

/// The score of a masked key, and its weight, whose value is not multiplied: 0 times NaN would be NaN.
const uint masked_score_bits = minus_infinity_bits, masked_weight_bits = 0x80000000u;

uint group_head;  // the first of the heads that share a kv head; `first` counts the queries of all of them
uint split;
float row_max, row_sum;  // those of this invocation's row
float acc[rows * v_each * E];

/// Finds the query of row r: sets `head` and returns the query's number in it, or Sq where the row has no query.
uint query_of(uint r) {
  const uint number = first + r;
  head = group_head + min(number / Sq, gqa_group - 1u);
  return number < gqa_group * Sq ? number % Sq : Sq;
}

/// Finds a task's heads, queries and, as begin and end, the keys of its split.
void begin_split(uint task) {
  const uint blocks = (gqa_group * Sq + rows - 1u) / rows, heads = task / splits / blocks;
  split = task % splits;
  batch = heads / (Hq / gqa_group);
  head = group_head = heads % (Hq / gqa_group) * gqa_group;
  first = task / splits % blocks * rows;
  key_count = length_of_batch();
  shift = bottom_right == 1u ? key_count - int(Sq) : 0;
  const uint from = uint(max(0, shift + window_lowest));
  const uint to = uint(max(0, min(key_count, int(Sq) + shift + window_highest)));
  const uint whole = groups * keys_per_lane, length = to > from ? to - from : 0u;
  const uint part = (length + splits * whole - 1u) / (splits * whole) * whole;
  begin = min(from + split * part, to);
  end = min(begin + part, to);
}

/// Stages the queries, with zeros behind each.
void load_q() {
  for (uint f = invocation(); f < rows * q_fours; f += gl_WorkGroupSize.x) {
    const uint i = query_of(f / q_fours), four = f % q_fours, a = four % lanes_per_key, part = four / lanes_per_key;
    const uint d = (part / (E / 4u) * lanes_per_key + a) * E + part % (E / 4u) * 4u, at = q_begin() + i * q_row + d;
    q_tile[f] = vec4(0.0);
    if (i < Sq && d < D) q_tile[f] = vec4(load(q[at]), load(q[at + 1u]), load(q[at + 2u]), load(q[at + 3u]));
  }
}

/// Adds keys_per_lane numbers over the lanes_per_key lanes that share a key: with every step a lane has half as many
/// sums, over twice as many lanes. A lane is left with the sums from lane * keys_per_lane / lanes_per_key on.
void add_lanes_of_key(inout float x[keys_per_lane], uint a) {
  [[unroll]] for (uint apart = lanes_per_key / 2u; apart > 0u; apart /= 2u) {
    const uint half_of_them = keys_per_lane * apart / lanes_per_key;
    if (half_of_them == 0u) {
      x[0] += subgroupShuffleXor(x[0], apart);
    } else {
      const bool upper = (a & apart) != 0u;
      [[unroll]] for (uint u = 0u; u < half_of_them; ++u) {
        const float given = upper ? x[u] : x[u + half_of_them];
        x[u] = (upper ? x[u + half_of_them] : x[u]) + subgroupShuffleXor(given, apart);
      }
    }
  }
}

// The pieces of keys or values that this invocation multiplies next, read while it multiplies others.
uvec4 ahead[keys_per_lane * (k_each > v_each ? k_each : v_each)];

/// Reads ahead the pieces of keys from number `block` on, out of `count` keys from `from` on.
void read_keys(uint from, uint count, uint block) {
  const uint a = invocation() % lanes_per_key, group = invocation() / lanes_per_key, at = k_begin() / E;
  [[unroll]] for (uint u = 0u; u < keys_per_lane; ++u)
    [[unroll]] for (uint p = 0u; p < k_each; ++p) {
      const uint key = block + u * groups + group, piece = p * lanes_per_key + a;
      ahead[u * k_each + p] = uvec4(0u);
      if (key < count && piece < k_pieces) ahead[u * k_each + p] = wide_k[at + (from + key) * (k_row / E) + piece];
    }
}

void read_values(uint from, uint count, uint block) {
  const uint a = invocation() % lanes_per_value, group = invocation() / lanes_per_value, at = v_begin() / E;
  [[unroll]] for (uint u = 0u; u < keys_per_lane; ++u)
    [[unroll]] for (uint p = 0u; p < v_each; ++p) {
      const uint key = block + u * v_groups + group, piece = p * lanes_per_value + a;
      ahead[u * v_each + p] = uvec4(0u);
      if (key < count && piece < v_pieces) ahead[u * v_each + p] = wide_v[at + (from + key) * (v_row / E) + piece];
    }
}

/// Multiplies the queries by `count` keys from `from` on, into `scores`. The first keys have been read ahead.
void multiply_q_and_k(uint from, uint count) {
  const uint a = invocation() % lanes_per_key, group = invocation() / lanes_per_key;
  for (uint block = 0u; block < count; block += groups * keys_per_lane) {
    float x[keys_per_lane * k_each * E];
    [[unroll]] for (uint e = 0u; e < keys_per_lane * k_each * E; ++e) x[e] = number(ahead[e / E], e % E);
    read_keys(from, count, block + groups * keys_per_lane);
    for (uint r = 0u; r < rows; ++r) {
      float found[keys_per_lane];
      [[unroll]] for (uint u = 0u; u < keys_per_lane; ++u) found[u] = 0.0;
      [[unroll]] for (uint four = 0u; four < k_each * E / 4u; ++four) {
        const vec4 of_q = q_tile[r * q_fours + four * lanes_per_key + a];
        [[unroll]] for (uint e = 0u; e < 4u; ++e)
          [[unroll]] for (uint u = 0u; u < keys_per_lane; ++u)
            found[u] = fma(of_q[e], x[u * k_each * E + four * 4u + e], found[u]);
      }
      add_lanes_of_key(found, a);
      const uint left = max(keys_per_lane / lanes_per_key, 1u), lanes_each = max(lanes_per_key / keys_per_lane, 1u);
      [[unroll]] for (uint u = 0u; u < left; ++u) {
        const uint key = block + (a / lanes_each * left + u) * groups + group;
        if (key < count && a % lanes_each == 0u) scores[r * keys + key] = found[u];
      }
    }
  }
}

/// Raises the row max, and makes weights of the scores: exp(score - row max).
void find_weights(uint from, uint count) {
  const uint r = invocation() / lanes, i = query_of(r), at = r * keys;
  const float before = row_max;
  float mine = uintBitsToFloat(minus_infinity_bits);
  for (uint key = lane(); key < count; key += lanes) {
    bool masked = is_masked_by_position(i, from + key);
    float s = uintBitsToFloat(masked_score_bits);
    if (!masked) s = score(scores[at + key], i, from + key, masked);
    if (masked) s = uintBitsToFloat(masked_score_bits);
    scores[at + key] = s;
    mine = maximum(mine, s);
  }
  row_max = maximum(row_max, combined(mine, MAXIMUM, 0u));
  const float top = origin_of(row_max), rescale = expf(before - top);
  if (lane() == 0u) rescale_of_row[r] = rescale;
  mine = 0.0;
  for (uint key = lane(); key < count; key += lanes) {
    const float s = scores[at + key];
    float weight = uintBitsToFloat(masked_weight_bits);
    if (floatBitsToUint(s) != masked_score_bits) {
      weight = expf(s - top);
      if (is_nan(weight)) weight = quiet_nan();
      mine += weight;
    }
    scores[at + key] = weight;
  }
  row_sum = row_sum * rescale + combined(mine, SUM, 1u);
}

/// Rescales the accumulator and adds the weights of a block times its values. The first values have been read ahead.
void multiply_weights_and_v(uint from, uint count) {
  const uint group = invocation() / lanes_per_value;
  [[unroll]] for (uint r = 0u; r < rows; ++r)
    [[unroll]] for (uint e = 0u; e < v_each * E; ++e) acc[r * v_each * E + e] *= rescale_of_row[r];
  for (uint block = 0u; block < count; block += v_groups * keys_per_lane) {
    uvec4 pieces[keys_per_lane * v_each];
    [[unroll]] for (uint p = 0u; p < keys_per_lane * v_each; ++p) pieces[p] = ahead[p];
    read_values(from, count, block + v_groups * keys_per_lane);
    [[unroll]] for (uint u = 0u; u < keys_per_lane; ++u) {
      const uint key = block + u * v_groups + group;
      if (key < count)
        [[unroll]] for (uint r = 0u; r < rows; ++r) {
          const float weight = scores[r * keys + key];
          if (!may_mask || floatBitsToUint(weight) != masked_weight_bits)
            [[unroll]] for (uint e = 0u; e < v_each * E; ++e)
              acc[r * v_each * E + e] =
                  fma(weight, number(pieces[u * v_each + e / E], e % E), acc[r * v_each * E + e]);
        }
    }
  }
}

/// Adds up the accumulators of all lanes, subgroup after subgroup, as `totals`.
void add_results() {
  const uint a = invocation() % lanes_per_value;
  [[unroll]] for (uint apart = lanes_per_value; apart < subgroup_size; apart *= 2u)
    [[unroll]] for (uint e = 0u; e < rows * v_each * E; ++e) acc[e] += subgroupShuffleXor(acc[e], apart);
  for (uint subgroup = 0u; subgroup < gl_WorkGroupSize.x / subgroup_size; ++subgroup) {
    if (subgroup == gl_SubgroupID && gl_SubgroupInvocationID < lanes_per_value)
      [[unroll]] for (uint r = 0u; r < rows; ++r)
        [[unroll]] for (uint e = 0u; e < v_each * E; ++e) {
          const uint d = (e / E * lanes_per_value + a) * E + e % E, to = r * Dv + d;
          const float found = acc[r * v_each * E + e];
          if (d < Dv) totals[to] = subgroup == 0u ? found : totals[to] + found;
        }
    barrier();
  }
}

void store_results() {
  for (uint e = invocation(); e < rows * Dv; e += gl_WorkGroupSize.x) {
    const uint i = query_of(e / Dv);
    if (i < Sq) products[(((batch * Hq + head) * Sq + i) * splits + split) * Dv + e % Dv] = totals[e];
  }
  const uint i = query_of(invocation() / lanes);
  if (i < Sq && lane() == 0u) statistics[((batch * Hq + head) * Sq + i) * splits + split] = vec2(row_max, row_sum);
}

void main() {
  const uint task = group_index();
  if (task >= tasks) return;
  begin_split(task);
  if (begin < end) read_keys(begin, min(keys, end - begin), 0u);
  load_q();
  row_max = uintBitsToFloat(minus_infinity_bits);
  row_sum = 0.0;
  [[unroll]] for (uint e = 0u; e < rows * v_each * E; ++e) acc[e] = 0.0;
  barrier();
  for (uint from = begin; from < end; from += keys) {
    const uint count = min(keys, end - from), next = from + keys;
    multiply_q_and_k(from, count);
    read_values(from, count, 0u);
    barrier();
    find_weights(from, count);
    barrier();
    multiply_weights_and_v(from, count);
    if (next < end) read_keys(next, min(keys, end - next), 0u);
    barrier();  // every lane is done with the weights
  }
  add_results();
  store_results();
}
