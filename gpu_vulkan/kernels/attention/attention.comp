#version 450
// Flash attention of any dtype by tiles in shared memory: a workgroup has a block of queries of one head and walks over
// blocks of keys with a running row max, row sum and accumulator (Milakov and Gimelshein 2018; Dao et al. 2022). Its
// invocations form row_threads x key_threads; each has rows_each rows, and keys_each scores and columns_each elements
// of y in each of them.
// variants: f32 f16 bf16 f64 f32_narrow
#extension GL_GOOGLE_include_directive : require
#ifdef VARIANT_f32_narrow
#define VARIANT_f32 1
#define NARROW_KEYS 1
#endif
#include "gpu_vulkan/glsl/element.glsl"
#include "gpu_vulkan/glsl/index.glsl"
#ifdef VARIANT_f64
#include "gpu_vulkan/glsl/math_f64.glsl"
#else
#include "gpu_vulkan/glsl/math.glsl"
#endif

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint row_threads = 1;
layout(constant_id = 2) const uint key_threads = 1;
layout(constant_id = 3) const uint rows_each = 1;
layout(constant_id = 4) const uint keys_each = 1;
layout(constant_id = 5) const uint D = 1;
layout(constant_id = 6) const uint Dv = 1;
layout(constant_id = 7) const uint columns_each = 1;  // Dv / key_threads, rounded up
layout(constant_id = 8) const bool may_mask = false;  // some keys may be masked for some queries
layout(constant_id = 9) const bool has_mask = false;
layout(constant_id = 10) const bool has_bias = false;
layout(constant_id = 11) const bool capped = false;
layout(constant_id = 12) const uint length_words = 0;
layout(constant_id = 13) const bool bias_masks = true;
layout(constant_id = 14) const bool has_sinks = false;
#ifdef NARROW_KEYS
layout(constant_id = 15) const bool keys_are_bf16 = false;
#endif

#define TAKES_SINKS 1
#include "gpu_vulkan/kernels/attention/attention.glsl"

const uint rows = row_threads * rows_each, keys = key_threads * keys_each;
// A pitch is one more than a row is wide, so that neighbouring rows lie in different banks.
const uint q_pitch = D + 1u, kv_pitch = (D > Dv ? D : Dv) + 1u, weight_pitch = keys + 1u;
shared COMPUTED q_tile[rows * q_pitch];
shared COMPUTED kv_tile[keys * kv_pitch];  // first of k, then of v
shared COMPUTED weights[rows * weight_pitch];
shared COMPUTED partial_max[rows * key_threads];   // the largest of each invocation's scores
shared COMPUTED partial_sums[rows * key_threads];  // the sum of its weights

/// The weight of a masked key is -0. Its value is not multiplied: 0 times NaN would be NaN.
#ifdef VARIANT_f64
double masked_weight() { return packDouble2x32(uvec2(0u, 0x80000000u)); }
bool is_masked_weight(double weight) { return unpackDouble2x32(weight) == uvec2(0u, 0x80000000u); }
#else
float masked_weight() { return uintBitsToFloat(0x80000000u); }
bool is_masked_weight(float weight) { return floatBitsToUint(weight) == 0x80000000u; }
#endif

// The rows and columns of this invocation, and what its registers hold of them.
uint row_thread, key_thread;
COMPUTED row_max[rows_each], row_sum[rows_each], scores[rows_each * keys_each], acc[rows_each * columns_each];
uint masked_here;  // a bit for each of the scores

void load_q(uint at) {
  for (uint e = gl_LocalInvocationID.x; e < rows * D; e += gl_WorkGroupSize.x) {
    const uint r = e / D, d = e % D;
    q_tile[r * q_pitch + d] = first + r < Sq ? load(q[at + (first + r) * q_row + d]) : COMPUTED(0);
  }
}

void load_k(uint at, uint from, uint end) {
  for (uint e = gl_LocalInvocationID.x; e < keys * D; e += gl_WorkGroupSize.x) {
    const uint r = e / D, d = e % D;
    kv_tile[r * kv_pitch + d] = from + r < end ? load_key(k[at + (from + r) * k_row + d]) : COMPUTED(0);
  }
}

void load_v(uint at, uint from, uint end) {
  for (uint e = gl_LocalInvocationID.x; e < keys * Dv; e += gl_WorkGroupSize.x) {
    const uint r = e / Dv, d = e % Dv;
    kv_tile[r * kv_pitch + d] = from + r < end ? load_key(v[at + (from + r) * v_row + d]) : COMPUTED(0);
  }
}

void multiply_q_and_k() {
  for (uint e = 0u; e < rows_each * keys_each; ++e) scores[e] = COMPUTED(0);
  for (uint d = 0u; d < D; ++d)
    for (uint r = 0u; r < rows_each; ++r) {
      const COMPUTED x = q_tile[(row_thread + r * row_threads) * q_pitch + d];
      for (uint c = 0u; c < keys_each; ++c)
        scores[r * keys_each + c] =
            fma(x, kv_tile[(key_thread + c * key_threads) * kv_pitch + d], scores[r * keys_each + c]);
    }
}

/// Makes scores of the products with the keys from `from` on, and finds the largest of this invocation in each row.
void find_scores(uint from) {
  masked_here = 0u;
  for (uint r = 0u; r < rows_each; ++r) {
    const uint row = row_thread + r * row_threads, i = first + row;
    COMPUTED mine = minus_infinity();
    for (uint c = 0u; c < keys_each; ++c) {
      const uint j = from + key_thread + c * key_threads, e = r * keys_each + c;
      bool masked = is_masked_by_position(i, j);
      if (!masked) scores[e] = score(scores[e], i, j, masked);
      if (masked) masked_here |= 1u << e;
      else mine = maximum(mine, scores[e]);
    }
    partial_max[row * key_threads + key_thread] = mine;
  }
}

/// Raises the row max to that of all invocations, rescales row sum and accumulator, and makes weights of the scores:
/// exp(score - row max).
void find_weights() {
  for (uint r = 0u; r < rows_each; ++r) {
    const uint row = row_thread + r * row_threads;
    const COMPUTED before = row_max[r];
    for (uint t = 0u; t < key_threads; ++t) row_max[r] = maximum(row_max[r], partial_max[row * key_threads + t]);
    const COMPUTED from = origin_of(row_max[r]);
    // NVIDIA's compiler adds what is subtracted from a double first, unless it is precise: exp would reduce less.
    precise const COMPUTED raised = before - from;
    const COMPUTED rescale = expf(raised);
    row_sum[r] *= rescale;
    for (uint c = 0u; c < columns_each; ++c) acc[r * columns_each + c] *= rescale;
    COMPUTED mine = COMPUTED(0);
    for (uint c = 0u; c < keys_each; ++c) {
      const uint e = r * keys_each + c;
      COMPUTED weight = masked_weight();
      if ((masked_here >> e & 1u) == 0u) {
        precise const COMPUTED below = scores[e] - from;
        weight = expf(below);
        if (is_nan(weight)) weight = not_a_number();
        mine += weight;
      }
      weights[row * weight_pitch + key_thread + c * key_threads] = weight;
    }
    partial_sums[row * key_threads + key_thread] = mine;
  }
}

void multiply_weights_and_v() {
  for (uint r = 0u; r < rows_each; ++r) {
    COMPUTED here = COMPUTED(0);
    for (uint t = 0u; t < key_threads; ++t) here += partial_sums[(row_thread + r * row_threads) * key_threads + t];
    row_sum[r] += here;
  }
  COMPUTED found[rows_each * columns_each];  // the sum of this block alone: a sum of such sums rounds less
  for (uint e = 0u; e < rows_each * columns_each; ++e) found[e] = COMPUTED(0);
  for (uint key = 0u; key < keys; ++key)
    for (uint r = 0u; r < rows_each; ++r) {
      const COMPUTED weight = weights[(row_thread + r * row_threads) * weight_pitch + key];
      if (may_mask && is_masked_weight(weight)) continue;
      for (uint c = 0u; c < columns_each; ++c) {
        const uint d = key_thread + c * key_threads, e = r * columns_each + c;
        if (d < Dv) found[e] = fma(weight, kv_tile[key * kv_pitch + d], found[e]);
      }
    }
  for (uint e = 0u; e < rows_each * columns_each; ++e) acc[e] += found[e];
}

void store_results(uint at) {
  for (uint r = 0u; r < rows_each; ++r) {
    const uint i = first + row_thread + r * row_threads;
    COMPUTED largest = row_max[r], sum = row_sum[r], factor = COMPUTED(1);
    if (has_sinks && !is_minus_infinity(largest)) factor = joined_sink(largest, sum);
    for (uint c = 0u; c < columns_each; ++c) {
      const uint d = key_thread + c * key_threads;
      if (i >= Sq || d >= Dv) continue;
      COMPUTED found = acc[r * columns_each + c];
      if (has_sinks) found *= factor;
      COMPUTED value = divide(found, sum);
      if (is_minus_infinity(largest)) value = COMPUTED(0);          // every key is masked
      else if (is_least_number(largest)) value = not_a_number();  // every key that is not masked scores -inf
      y[at + i * y_row + d] = store(value);
    }
  }
}

void main() {
  const uint blocks = (Sq + rows - 1u) / rows, task = group_index();
  if (task >= tasks) return;
  begin_task(task, blocks, rows);
  row_thread = gl_LocalInvocationID.x / key_threads;
  key_thread = gl_LocalInvocationID.x % key_threads;
  load_q(q_begin());
  for (uint r = 0u; r < rows_each; ++r) {
    row_max[r] = minus_infinity();
    row_sum[r] = COMPUTED(0);
  }
  for (uint e = 0u; e < rows_each * columns_each; ++e) acc[e] = COMPUTED(0);
  for (uint from = begin; from < end; from += keys) {
    load_k(k_begin(), from, end);
    barrier();
    multiply_q_and_k();
    find_scores(from);
    barrier();  // every invocation is done with k
    load_v(v_begin(), from, end);
    find_weights();
    barrier();
    multiply_weights_and_v();
    barrier();  // every invocation is done with v and the weights
  }
  store_results(y_begin());
}
