#version 450
// Attention of few queries: a workgroup has one slice of the keys of a kv head, and up to `rows` queries of those heads
// that share it, so that keys and values are read once for all of them. It walks over blocks of keys as attention.comp
// does and leaves, of every query, what attention_combine.comp puts together: the largest score, the sum of weights
// and their product with v. A key is read by `across` neighbouring lanes, a value by `v_across`, 16 bytes at a time.
// One that is _kept has conversions that keep subnormal numbers.
// variants: f32 f16 bf16 f16_kept
#extension GL_GOOGLE_include_directive : require
#if defined(VARIANT_f16_kept)
#extension GL_EXT_spirv_intrinsics : require
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4464], 4459, 16);  // DenormPreserve
#define KEPT 1
#define VARIANT_f16 1
#endif
#include "gpu_vulkan/glsl/element.glsl"
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/glsl/math.glsl"

const uint MAXIMUM = 0u, SUM = 1u;
#define HELD float
float combine(float a, float b, uint how) { return how == MAXIMUM ? maximum(a, b) : a + b; }
#define PACK 1u
#include "gpu_vulkan/kernels/rows/rows.glsl"  // a row here is of the scores of a query

layout(constant_id = 6) const uint rows = 1;  // lanes x rows are all invocations
layout(constant_id = 7) const uint keys = 1;  // of a block
layout(constant_id = 8) const uint at_once = 1;  // keys that a lane reads at once, a power of two
layout(constant_id = 9) const uint D = 4;
layout(constant_id = 10) const uint Dv = 4;
layout(constant_id = 11) const uint across = 1;    // a power of two, no more than a subgroup
layout(constant_id = 12) const uint v_across = 1;  // likewise
layout(constant_id = 13) const bool hides = false;  // some keys may be hidden from some queries
layout(constant_id = 14) const bool has_mask = false;
layout(constant_id = 15) const bool has_bias = false;
layout(constant_id = 16) const bool capped = false;
layout(constant_id = 17) const uint length_words = 0;

#include "gpu_vulkan/kernels/attention/attention.glsl"

layout(set = 0, binding = 1) readonly buffer WideK { uvec4 wide_k[]; };
layout(set = 0, binding = 2) readonly buffer WideV { uvec4 wide_v[]; };
layout(set = 0, binding = 6) writeonly buffer Products { float products[]; };
layout(set = 0, binding = 7) writeonly buffer Statistics { vec2 statistics[]; };  // largest score, sum of weights

#ifdef VARIANT_f32
const uint E = 4u;  // elements of a piece of 16 bytes
float number(uvec4 piece, uint i) { return uintBitsToFloat(piece[i]); }
#else
const uint E = 8u;
#ifdef KEPT
float number(uvec4 piece, uint i) { return unpackHalf2x16(piece[i / 2u])[i % 2u]; }
#else
float number(uvec4 piece, uint i) { return from_bits(piece[i / 2u] >> i % 2u * 16u & 0xFFFFu); }
#endif
#endif

const uint k_pieces = D / E, v_pieces = Dv / E;  // of a line; a lane has every `across`-th
const uint k_each = (k_pieces + across - 1u) / across, v_each = (v_pieces + v_across - 1u) / v_across;
// Of a query, fours of terms as lanes want them: what neighbouring lanes read at once lies side by side.
const uint q_fours = k_each * (E / 4u) * across;
const uint groups = gl_WorkGroupSize.x / across, v_groups = gl_WorkGroupSize.x / v_across;  // keys read side by side
shared vec4 q_tile[rows * q_fours];
shared float scores[rows * keys];  // then weights
shared float kept[rows];           // of what was found before a block
shared float sums[rows * Dv];

/// The score of a key that is hidden, and its weight: a product with it is left out, as 0 times NaN is NaN.
const uint hidden_score_bits = minus_infinity_bits, hidden_bits = 0x80000000u;

uint group_head;             // the first of the heads that share keys; `first` counts queries of all of them
uint slice;
float peak, sum;             // of this invocation's row
float result[rows * v_each * E];

/// Which query row r is: sets `head`, returns its number in it; Sq where there is none.
uint query_of(uint r) {
  const uint number = first + r;
  head = group_head + min(number / Sq, share - 1u);
  return number < share * Sq ? number % Sq : Sq;
}

/// The task's heads, queries and, as begin and end, the keys of its slice.
void begin_slice(uint task) {
  const uint blocks = (share * Sq + rows - 1u) / rows, heads = task / slices / blocks;
  slice = task % slices;
  batch = heads / (Hq / share);
  head = group_head = heads % (Hq / share) * share;
  first = task / slices % blocks * rows;
  key_count = length_of_batch();
  shift = bottom_right == 1u ? key_count - int(Sq) : 0;
  const uint from = uint(max(0, shift + lowest)), to = uint(max(0, min(key_count, int(Sq) + shift + highest)));
  const uint whole = groups * at_once, length = to > from ? to - from : 0u;
  const uint part = (length + slices * whole - 1u) / (slices * whole) * whole;
  begin = min(from + slice * part, to);
  end = min(begin + part, to);
}

/// Zeros stand behind a query.
void load_q() {
  for (uint f = invocation(); f < rows * q_fours; f += gl_WorkGroupSize.x) {
    const uint i = query_of(f / q_fours), four = f % q_fours, a = four % across, part = four / across;
    const uint d = (part / (E / 4u) * across + a) * E + part % (E / 4u) * 4u, at = q_begin() + i * q_row + d;
    q_tile[f] = vec4(0.0);
    if (i < Sq && d < D) q_tile[f] = vec4(load(q[at]), load(q[at + 1u]), load(q[at + 2u]), load(q[at + 3u]));
  }
}

/// Sums over `across` lanes of at_once numbers each: with every step a lane has half as many, of twice as many lanes.
/// Those that are left are numbers lane * at_once / across and following.
void add_across(inout float x[at_once], uint a) {
  [[unroll]] for (uint apart = across / 2u; apart > 0u; apart /= 2u) {
    const uint half_of_them = at_once * apart / across;
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

// Pieces of keys or of values that this invocation multiplies next: read while it multiplies others.
uvec4 ahead[at_once * (k_each > v_each ? k_each : v_each)];

/// Those of the keys from `block` on, of `count` from `from` on.
void read_keys(uint from, uint count, uint block) {
  const uint a = invocation() % across, group = invocation() / across, at = k_begin() / E;
  [[unroll]] for (uint u = 0u; u < at_once; ++u)
    [[unroll]] for (uint p = 0u; p < k_each; ++p) {
      const uint key = block + u * groups + group, piece = p * across + a;
      ahead[u * k_each + p] = uvec4(0u);
      if (key < count && piece < k_pieces) ahead[u * k_each + p] = wide_k[at + (from + key) * (k_row / E) + piece];
    }
}

void read_values(uint from, uint count, uint block) {
  const uint a = invocation() % v_across, group = invocation() / v_across, at = v_begin() / E;
  [[unroll]] for (uint u = 0u; u < at_once; ++u)
    [[unroll]] for (uint p = 0u; p < v_each; ++p) {
      const uint key = block + u * v_groups + group, piece = p * v_across + a;
      ahead[u * v_each + p] = uvec4(0u);
      if (key < count && piece < v_pieces) ahead[u * v_each + p] = wide_v[at + (from + key) * (v_row / E) + piece];
    }
}

/// Products of the queries and `count` keys from `from` on, as scores. The first keys were read.
void multiply_q_and_k(uint from, uint count) {
  const uint a = invocation() % across, group = invocation() / across;
  for (uint block = 0u; block < count; block += groups * at_once) {
    float x[at_once * k_each * E];
    [[unroll]] for (uint e = 0u; e < at_once * k_each * E; ++e) x[e] = number(ahead[e / E], e % E);
    read_keys(from, count, block + groups * at_once);
    for (uint r = 0u; r < rows; ++r) {
      float found[at_once];
      [[unroll]] for (uint u = 0u; u < at_once; ++u) found[u] = 0.0;
      [[unroll]] for (uint four = 0u; four < k_each * E / 4u; ++four) {
        const vec4 of_q = q_tile[r * q_fours + four * across + a];
        [[unroll]] for (uint e = 0u; e < 4u; ++e)
          [[unroll]] for (uint u = 0u; u < at_once; ++u)
            found[u] = fma(of_q[e], x[u * k_each * E + four * 4u + e], found[u]);
      }
      add_across(found, a);
      const uint left = max(at_once / across, 1u), lanes_each = max(across / at_once, 1u);
      [[unroll]] for (uint u = 0u; u < left; ++u) {
        const uint key = block + (a / lanes_each * left + u) * groups + group;
        if (key < count && a % lanes_each == 0u) scores[r * keys + key] = found[u];
      }
    }
  }
}

/// exp(score - peak) of each score, by the largest so far of every row.
void find_weights(uint from, uint count) {
  const uint r = invocation() / lanes, i = query_of(r), at = r * keys;
  const float before = peak;
  float mine = uintBitsToFloat(minus_infinity_bits);
  for (uint key = lane(); key < count; key += lanes) {
    bool hidden = is_out_of_sight(i, from + key);
    float s = uintBitsToFloat(hidden_score_bits);
    if (!hidden) s = score(scores[at + key], i, from + key, hidden);
    if (hidden) s = uintBitsToFloat(hidden_score_bits);
    scores[at + key] = s;
    mine = maximum(mine, s);
  }
  peak = maximum(peak, combined(mine, MAXIMUM, 0u));
  const float top = floatBitsToUint(peak) == minus_infinity_bits ? 0.0 : peak, keep = expf(before - top);
  if (lane() == 0u) kept[r] = keep;
  mine = 0.0;
  for (uint key = lane(); key < count; key += lanes) {
    const float s = scores[at + key];
    float weight = uintBitsToFloat(hidden_bits);
    if (floatBitsToUint(s) != hidden_score_bits) {
      weight = expf(s - top);
      if (is_nan(weight)) weight = quiet_nan();
      mine += weight;
    }
    scores[at + key] = weight;
  }
  sum = sum * keep + combined(mine, SUM, 1u);
}

/// Adds to the result what the weights of a block and its values give. The first values were read.
void multiply_weights_and_v(uint from, uint count) {
  const uint group = invocation() / v_across;
  [[unroll]] for (uint r = 0u; r < rows; ++r)
    [[unroll]] for (uint e = 0u; e < v_each * E; ++e) result[r * v_each * E + e] *= kept[r];
  for (uint block = 0u; block < count; block += v_groups * at_once) {
    uvec4 pieces[at_once * v_each];
    [[unroll]] for (uint p = 0u; p < at_once * v_each; ++p) pieces[p] = ahead[p];
    read_values(from, count, block + v_groups * at_once);
    [[unroll]] for (uint u = 0u; u < at_once; ++u) {
      const uint key = block + u * v_groups + group;
      if (key < count)
        [[unroll]] for (uint r = 0u; r < rows; ++r) {
          const float weight = scores[r * keys + key];
          if (!hides || floatBitsToUint(weight) != hidden_bits)
            [[unroll]] for (uint e = 0u; e < v_each * E; ++e)
              result[r * v_each * E + e] =
                  fma(weight, number(pieces[u * v_each + e / E], e % E), result[r * v_each * E + e]);
        }
    }
  }
}

/// Adds up what all lanes found, subgroup after subgroup, as `sums`.
void add_results() {
  const uint a = invocation() % v_across;
  [[unroll]] for (uint apart = v_across; apart < subgroup_size; apart *= 2u)
    [[unroll]] for (uint e = 0u; e < rows * v_each * E; ++e) result[e] += subgroupShuffleXor(result[e], apart);
  for (uint subgroup = 0u; subgroup < gl_WorkGroupSize.x / subgroup_size; ++subgroup) {
    if (subgroup == gl_SubgroupID && gl_SubgroupInvocationID < v_across)
      [[unroll]] for (uint r = 0u; r < rows; ++r)
        [[unroll]] for (uint e = 0u; e < v_each * E; ++e) {
          const uint d = (e / E * v_across + a) * E + e % E, to = r * Dv + d;
          const float found = result[r * v_each * E + e];
          if (d < Dv) sums[to] = subgroup == 0u ? found : sums[to] + found;
        }
    barrier();
  }
}

void store_results() {
  for (uint e = invocation(); e < rows * Dv; e += gl_WorkGroupSize.x) {
    const uint i = query_of(e / Dv);
    if (i < Sq) products[(((batch * Hq + head) * Sq + i) * slices + slice) * Dv + e % Dv] = sums[e];
  }
  const uint i = query_of(invocation() / lanes);
  if (i < Sq && lane() == 0u) statistics[((batch * Hq + head) * Sq + i) * slices + slice] = vec2(peak, sum);
}

void main() {
  const uint task = group_index();
  if (task >= tasks) return;
  begin_slice(task);
  if (begin < end) read_keys(begin, min(keys, end - begin), 0u);
  load_q();
  peak = uintBitsToFloat(minus_infinity_bits);
  sum = 0.0;
  [[unroll]] for (uint e = 0u; e < rows * v_each * E; ++e) result[e] = 0.0;
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
    barrier();  // the weights may be written over
  }
  add_results();
  store_results();
}
