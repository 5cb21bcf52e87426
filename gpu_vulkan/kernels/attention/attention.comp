#version 450
// variants: f32 f16 bf16
// A workgroup holds a block of queries of one head and walks over blocks of keys
// with a running maximum, sum and product (Milakov and Gimelshein 2018; Dao et al.
// 2022). Its invocations form row_threads x key_threads; each has rows_each rows, and
// of these keys_each scores and columns_each results.
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/glsl/element.glsl"
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/glsl/math.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint row_threads = 1;
layout(constant_id = 2) const uint key_threads = 1;
layout(constant_id = 3) const uint rows_each = 1;
layout(constant_id = 4) const uint keys_each = 1;
layout(constant_id = 5) const uint D = 1;
layout(constant_id = 6) const uint Dv = 1;
layout(constant_id = 7) const uint columns_each = 1;  // Dv / key_threads, rounded up
layout(constant_id = 8) const bool hides = false;     // some keys may be hidden from some queries
layout(constant_id = 9) const bool has_mask = false;
layout(constant_id = 10) const bool has_bias = false;
layout(constant_id = 11) const bool capped = false;
layout(constant_id = 12) const uint length_words = 0;  // of each of kv_lengths; 0 when there are none

#include "gpu_vulkan/kernels/attention/attention.glsl"

const uint rows = row_threads * rows_each, keys = key_threads * keys_each;
// One more than wide: neighbouring rows lie in different banks.
const uint q_pitch = D + 1u, kv_pitch = (D > Dv ? D : Dv) + 1u, weight_pitch = keys + 1u;
shared float q_tile[rows * q_pitch];
shared float kv_tile[keys * kv_pitch];  // of k, then of v
shared float weights[rows * weight_pitch];
shared float peaks[rows * key_threads];  // of each invocation's scores
shared float sums[rows * key_threads];   // of its weights

/// The weight of a key that is hidden: a product with it is left out, as 0 times NaN is NaN.
const uint hidden_bits = 0x80000000u;

// What this invocation has of the work.
uint row_thread, key_thread;
float peak[rows_each], sum[rows_each], s[rows_each * keys_each], result[rows_each * columns_each];
uint hidden_here;  // a bit for each of its scores

void load_q(uint at) {
  for (uint e = gl_LocalInvocationID.x; e < rows * D; e += gl_WorkGroupSize.x) {
    const uint r = e / D, d = e % D;
    q_tile[r * q_pitch + d] = first + r < Sq ? load(q[at + (first + r) * q_row + d]) : 0.0;
  }
}

void load_k(uint at, uint from, uint end) {
  for (uint e = gl_LocalInvocationID.x; e < keys * D; e += gl_WorkGroupSize.x) {
    const uint r = e / D, d = e % D;
    kv_tile[r * kv_pitch + d] = from + r < end ? load(k[at + (from + r) * k_row + d]) : 0.0;
  }
}

void load_v(uint at, uint from, uint end) {
  for (uint e = gl_LocalInvocationID.x; e < keys * Dv; e += gl_WorkGroupSize.x) {
    const uint r = e / Dv, d = e % Dv;
    kv_tile[r * kv_pitch + d] = from + r < end ? load(v[at + (from + r) * v_row + d]) : 0.0;
  }
}

void multiply_q_and_k() {
  for (uint e = 0u; e < rows_each * keys_each; ++e) s[e] = 0.0;
  for (uint d = 0u; d < D; ++d)
    for (uint r = 0u; r < rows_each; ++r) {
      const float x = q_tile[(row_thread + r * row_threads) * q_pitch + d];
      for (uint c = 0u; c < keys_each; ++c)
        s[r * keys_each + c] = fma(x, kv_tile[(key_thread + c * key_threads) * kv_pitch + d], s[r * keys_each + c]);
    }
}

/// Scores of the keys from `from` on, and the largest that this invocation has of each row.
void find_scores(uint from) {
  hidden_here = 0u;
  for (uint r = 0u; r < rows_each; ++r) {
    const uint row = row_thread + r * row_threads, i = first + row;
    float mine = uintBitsToFloat(minus_infinity_bits);
    for (uint c = 0u; c < keys_each; ++c) {
      const uint j = from + key_thread + c * key_threads, e = r * keys_each + c;
      bool hidden = is_out_of_sight(i, j);
      if (!hidden) s[e] = score(s[e], i, j, hidden);
      if (hidden) hidden_here |= 1u << e;
      else mine = maximum(mine, s[e]);
    }
    peaks[row * key_threads + key_thread] = mine;
  }
}

/// exp(score - peak) of each score, by the peaks of all; scales what was found before.
void find_weights() {
  for (uint r = 0u; r < rows_each; ++r) {
    const uint row = row_thread + r * row_threads;
    const float before = peak[r];
    for (uint t = 0u; t < key_threads; ++t) peak[r] = maximum(peak[r], peaks[row * key_threads + t]);
    const float from = floatBitsToUint(peak[r]) == minus_infinity_bits ? 0.0 : peak[r], keep = expf(before - from);
    sum[r] *= keep;
    for (uint c = 0u; c < columns_each; ++c) result[r * columns_each + c] *= keep;
    float mine = 0.0;
    for (uint c = 0u; c < keys_each; ++c) {
      const uint e = r * keys_each + c;
      float weight = uintBitsToFloat(hidden_bits);
      if ((hidden_here >> e & 1u) == 0u) {
        weight = expf(s[e] - from);
        if (is_nan(weight)) weight = quiet_nan();
        mine += weight;
      }
      weights[row * weight_pitch + key_thread + c * key_threads] = weight;
    }
    sums[row * key_threads + key_thread] = mine;
  }
}

void multiply_weights_and_v() {
  for (uint r = 0u; r < rows_each; ++r) {
    float here = 0.0;
    for (uint t = 0u; t < key_threads; ++t) here += sums[(row_thread + r * row_threads) * key_threads + t];
    sum[r] += here;
  }
  float found[rows_each * columns_each];  // by this block alone: a long sum of sums rounds less
  for (uint e = 0u; e < rows_each * columns_each; ++e) found[e] = 0.0;
  for (uint key = 0u; key < keys; ++key)
    for (uint r = 0u; r < rows_each; ++r) {
      const float weight = weights[(row_thread + r * row_threads) * weight_pitch + key];
      if (hides && floatBitsToUint(weight) == hidden_bits) continue;
      for (uint c = 0u; c < columns_each; ++c) {
        const uint d = key_thread + c * key_threads, e = r * columns_each + c;
        if (d < Dv) found[e] = fma(weight, kv_tile[key * kv_pitch + d], found[e]);
      }
    }
  for (uint e = 0u; e < rows_each * columns_each; ++e) result[e] += found[e];
}

void store_results(uint at) {
  for (uint r = 0u; r < rows_each; ++r) {
    const uint i = first + row_thread + r * row_threads, bits = floatBitsToUint(peak[r]);
    for (uint c = 0u; c < columns_each; ++c) {
      const uint d = key_thread + c * key_threads;
      if (i >= Sq || d >= Dv) continue;
      float value = divide(result[r * columns_each + c], sum[r]);
      if (bits == minus_infinity_bits) value = 0.0;         // no key is allowed
      else if (bits == least_bits) value = quiet_nan();     // all that are score -inf
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
    peak[r] = uintBitsToFloat(minus_infinity_bits);
    sum[r] = 0.0;
  }
  for (uint e = 0u; e < rows_each * columns_each; ++e) result[e] = 0.0;
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
    barrier();  // the tiles may be written again
  }
  store_results(y_begin());
}
