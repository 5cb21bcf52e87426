#version 450
// Flash attention in f32 by register tiles, for heads of whole pieces of 4 elements: two products for every block of
// keys. What is multiplied next is fetched into registers meanwhile.
//
//   workgroup: rows x keys = (row_threads x rows_each) x (key_threads x keys_each) scores of one head
//
//   for each block of keys:                                                       for each invocation, in registers
//     for each `depth` elements of D:   stage q [rows][depth], k [keys][depth]
//                                       S += q k^T                                 scores    [rows_each][keys_each]
//     row max and row sum (shuffles between the key_threads of a row), S -> P      row_max, row_sum     [rows_each]
//     for each v_keys of the block:     stage P [v_keys][rows], v [v_keys][Dv]
//                                       acc += P v                                 acc         [rows_each][columns]
//
//   y = acc / row_sum
//
// Shared memory holds tiles of q and k, or of P and v. Invocation (row_thread, key_thread) has every row_threads-th
// row, every key_threads-th of a row's scores, and every key_threads-th piece of its results. The key_threads of a row
// are neighbouring lanes of one subgroup.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#define VARIANT_f32 1
#include "gpu_vulkan/glsl/element.glsl"
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/glsl/math.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint subgroup_size = 32;
layout(constant_id = 2) const uint row_threads = 8;
layout(constant_id = 3) const uint key_threads = 16;  // a power of two, at most subgroup_size
layout(constant_id = 4) const uint rows_each = 8;     // a multiple of 4
layout(constant_id = 5) const uint keys_each = 8;
layout(constant_id = 6) const uint depth = 32;
layout(constant_id = 7) const uint each_step = 2;
layout(constant_id = 8) const uint D = 4;
layout(constant_id = 9) const uint Dv = 4;
layout(constant_id = 10) const bool may_mask = false;  // some keys may be masked for some queries
layout(constant_id = 11) const bool has_mask = false;
layout(constant_id = 12) const bool has_bias = false;
layout(constant_id = 13) const bool capped = false;
layout(constant_id = 14) const uint length_words = 0;
layout(constant_id = 15) const bool bias_masks = true;
layout(constant_id = 16) const bool has_sinks = false;
#define TAKES_SINKS 1
#include "gpu_vulkan/kernels/attention/attention.glsl"

layout(set = 0, binding = 0) readonly buffer WideQ { vec4 wide_q[]; };
layout(set = 0, binding = 1) readonly buffer WideK { vec4 wide_k[]; };
layout(set = 0, binding = 2) readonly buffer WideV { vec4 wide_v[]; };
layout(set = 0, binding = 7) writeonly buffer WideY { vec4 wide_y[]; };

const uint rows = row_threads * rows_each, keys = key_threads * keys_each, invocations = row_threads * key_threads;
const uint pieces = depth / 4u;  // pieces of a staged line of q or k
const uint columns = (Dv + 4u * key_threads - 1u) / (4u * key_threads);  // an invocation's pieces of a row of y
const uint v_keys = key_threads * each_step, v_pieces = columns * key_threads, p_pitch = rows / 4u + 1u;
const uint steps = (D + depth - 1u) / depth, v_steps = keys_each / each_step;
const uint q_tile = 0u, k_tile = rows * pieces, p_tile = 0u, v_tile = v_keys * p_pitch;
const uint for_scores = (rows + keys) * pieces, for_results = v_keys * (p_pitch + v_pieces);
shared vec4 tiles[for_scores > for_results ? for_scores : for_results];
shared uint special;  // whether a block with masked keys had an infinity or a NaN in v

const uint q_each = rows * pieces / invocations, k_each = keys * pieces / invocations;
const uint v_each = v_keys * v_pieces / invocations;
vec4 fetched[q_each + k_each > v_each ? q_each + k_each : v_each];

uint me, row_thread, key_thread;
float scores[rows_each * keys_each];  // scores, then weights
vec4 acc[rows_each * columns];
float row_max[rows_each], row_sum[rows_each];  // row_sum: of this invocation's own weights
uvec2 masked_here;   // a bit for each of the scores
uint unmasked_rows;  // a bit for each row in which this invocation has found a key that is not masked

/// Where a piece of a staged line lies, so that lines that are read together lie in different banks.
uint spread(uint piece, uint thread) { return piece ^ (pieces >= 8u ? thread & 7u : thread >> 1u & pieces - 1u); }

void fetch_q_and_k(uint from, uint step) {
  const uint along = me % pieces, piece = step * pieces + along;
  [[unroll]] for (uint i = 0; i < q_each; ++i) {
    const uint row = min(first + me / pieces + i * (invocations / pieces), Sq - 1u);
    fetched[i] = vec4(0.0);
    if (D % depth == 0u || piece < D / 4u) fetched[i] = wide_q[(q_begin() + row * q_row) / 4u + piece];
  }
  [[unroll]] for (uint i = 0; i < k_each; ++i) {  // keys from `end` on are masked
    const uint key = min(from + me / pieces + i * (invocations / pieces), end - 1u);
    fetched[q_each + i] = vec4(0.0);
    if (D % depth == 0u || piece < D / 4u) fetched[q_each + i] = wide_k[(k_begin() + key * k_row) / 4u + piece];
  }
}

void stage_q_and_k() {
  const uint along = me % pieces;
  [[unroll]] for (uint i = 0; i < q_each; ++i) {
    const uint line = me / pieces + i * (invocations / pieces);
    tiles[q_tile + line * pieces + spread(along, line % row_threads)] = fetched[i];
  }
  [[unroll]] for (uint i = 0; i < k_each; ++i) {
    const uint line = me / pieces + i * (invocations / pieces);
    tiles[k_tile + line * pieces + spread(along, line % key_threads)] = fetched[q_each + i];
  }
}

void multiply_q_and_k() {
  const uint q_line = q_tile + row_thread * pieces, k_line = k_tile + key_thread * pieces;
  [[unroll]] for (uint p = 0; p < pieces; ++p) {
    vec4 x[rows_each];
    [[unroll]] for (uint r = 0; r < rows_each; ++r)
      x[r] = tiles[q_line + r * row_threads * pieces + spread(p, row_thread)];
    [[unroll]] for (uint c = 0; c < keys_each; ++c) {
      const vec4 y = tiles[k_line + c * key_threads * pieces + spread(p, key_thread)];
      [[unroll]] for (uint i = 0; i < 4u; ++i)
        [[unroll]] for (uint r = 0; r < rows_each; ++r)
          scores[r * keys_each + c] = fma(x[r][i], y[i], scores[r * keys_each + c]);
    }
  }
}

void fetch_v(uint from, uint step) {
  [[unroll]] for (uint i = 0; i < v_each; ++i) {
    const uint piece = me + i * invocations, key = from + step * v_keys + piece / v_pieces, along = piece % v_pieces;
    fetched[i] = vec4(0.0);
    if (key < end && (Dv == v_pieces * 4u || along < Dv / 4u))
      fetched[i] = wide_v[(v_begin() + key * v_row) / 4u + along];
  }
}

bool is_special(vec4 x) {
  const uvec4 exponents = floatBitsToUint(x) & infinity_bits;
  return any(equal(exponents, uvec4(infinity_bits)));
}

/// Stages v, and with `looks`, for a block with masked keys, notes infinities and NaNs.
void stage_v(bool looks) {
  [[unroll]] for (uint i = 0; i < v_each; ++i) {
    tiles[v_tile + me + i * invocations] = fetched[i];
    if (looks && is_special(fetched[i])) special = 1u;
  }
}

/// Stages the first each_step columns of the weights and moves the others to the front.
void stage_weights() {
  [[unroll]] for (uint u = 0; u < each_step; ++u)
    [[unroll]] for (uint g = 0; g < rows_each / 4u; ++g) {
      vec4 four;
      [[unroll]] for (uint i = 0; i < 4u; ++i) four[i] = scores[(g * 4u + i) * keys_each + u];
      tiles[p_tile + (key_thread + u * key_threads) * p_pitch + row_thread * (rows_each / 4u) + g] = four;
    }
  [[unroll]] for (uint r = 0; r < rows_each; ++r)
    [[unroll]] for (uint c = 0; c < keys_each - each_step; ++c)
      scores[r * keys_each + c] = scores[r * keys_each + c + each_step];
}

void multiply_weights_and_v() {
  const uint p_line = p_tile + row_thread * (rows_each / 4u), v_line = v_tile + key_thread;
  [[unroll]] for (uint t = 0; t < v_keys; ++t) {
    vec4 right[columns];
    [[unroll]] for (uint c = 0; c < columns; ++c) right[c] = tiles[v_line + t * v_pieces + c * key_threads];
    [[unroll]] for (uint g = 0; g < rows_each / 4u; ++g) {
      const vec4 left = tiles[p_line + t * p_pitch + g];
      [[unroll]] for (uint i = 0; i < 4u; ++i)
        [[unroll]] for (uint c = 0; c < columns; ++c) {
          const uint e = (g * 4u + i) * columns + c;
          acc[e] = fma(vec4(left[i]), right[c], acc[e]);
        }
    }
  }
}

/// The weight of a masked key, whose value is not multiplied: 0 times NaN would be NaN.
const uint masked_weight_bits = 0x80000000u;

void multiply_unmasked_weights_and_v() {
  const uint p_line = p_tile + row_thread * (rows_each / 4u), v_line = v_tile + key_thread;
  for (uint t = 0; t < v_keys; ++t)
    [[unroll]] for (uint g = 0; g < rows_each / 4u; ++g) {
      const vec4 left = tiles[p_line + t * p_pitch + g];
      [[unroll]] for (uint i = 0; i < 4u; ++i)
        if (floatBitsToUint(left[i]) != masked_weight_bits)
          [[unroll]] for (uint c = 0; c < columns; ++c) {
            const uint e = (g * 4u + i) * columns + c;
            acc[e] = fma(vec4(left[i]), tiles[v_line + t * v_pieces + c * key_threads], acc[e]);
          }
    }
}

/// Whether positions mask no key of the block for no query of the workgroup.
bool is_all_unmasked(uint from) {
  const int front = int(first) + shift, back = int(min(first + rows, Sq)) - 1 + shift;
  return int(from + keys) <= key_count && int(from) >= back + window_lowest &&
         int(from + keys) - 1 <= front + window_highest;
}

/// Makes scores of the products. A masked key gets -infinity and its bit; other scores of -infinity get no weight, and
/// do not raise the row max.
void find_scores(uint from, bool may_mask_here) {
  masked_here = uvec2(0u);
  if (!may_mask_here) {
    unmasked_rows = (1u << rows_each) - 1u;
    [[unroll]] for (uint e = 0; e < rows_each * keys_each; ++e) {
      scores[e] *= scale;
      if (capped) scores[e] = softcap * tanhf(divide(scores[e], softcap));
    }
    return;
  }
  [[unroll]] for (uint r = 0; r < rows_each; ++r)
    [[unroll]] for (uint c = 0; c < keys_each; ++c) {
      const uint i = first + row_thread + r * row_threads, j = from + key_thread + c * key_threads;
      const uint e = r * keys_each + c;
      bool masked = is_masked_by_position(i, j);
      if (!masked) scores[e] = score(scores[e], i, j, masked);
      if (masked || floatBitsToUint(scores[e]) == least_bits) scores[e] = uintBitsToFloat(minus_infinity_bits);
      if (masked) masked_here[e / 32u] |= 1u << e % 32u;
      else unmasked_rows |= 1u << r;
    }
}

/// e^x of an x that is not above 0, -infinity and NaN among them; 0 below e^-104.
float weight_of(float x) {
  const uint least = 0xC2D00000u;  // -104
  const bool far = floatBitsToUint(x) - least <= minus_infinity_bits - least;
  const float weight = exp_shifted(x, 24) * 5.9604644775390625e-8;  // rounded once where it is subnormal
  return far ? 0.0 : weight;
}

float largest_of_row(float mine) {
  [[unroll]] for (uint apart = 1u; apart < key_threads; apart *= 2u) mine = max(mine, subgroupShuffleXor(mine, apart));
  return mine;
}

float sum_of_row(float mine) {
  [[unroll]] for (uint apart = 1u; apart < key_threads; apart *= 2u) mine += subgroupShuffleXor(mine, apart);
  return mine;
}

/// Raises the row max, rescales row sum and accumulator, and makes weights of the scores. A NaN makes every weight of
/// its row, or the row sum, NaN.
void find_weights(bool may_mask_here) {
  [[unroll]] for (uint r = 0; r < rows_each; ++r) {
    float largest = scores[r * keys_each];
    [[unroll]] for (uint c = 1; c < keys_each; ++c) largest = max(largest, scores[r * keys_each + c]);
    const float before = row_max[r];
    row_max[r] = max(before, largest_of_row(largest));
    const float from = floatBitsToUint(row_max[r]) == minus_infinity_bits ? 0.0 : row_max[r];
    const float rescale = weight_of(before - from);
    row_sum[r] *= rescale;
    [[unroll]] for (uint c = 0; c < columns; ++c) acc[r * columns + c] *= rescale;
    [[unroll]] for (uint c = 0; c < keys_each; ++c) {
      const uint e = r * keys_each + c;
      scores[e] = weight_of(scores[e] - from);
      row_sum[r] += scores[e];
    }
  }
  if (may_mask && may_mask_here)
    [[unroll]] for (uint e = 0; e < rows_each * keys_each; ++e)
      if ((masked_here[e / 32u] >> e % 32u & 1u) != 0u) scores[e] = uintBitsToFloat(masked_weight_bits);
}

void store_results() {
  [[unroll]] for (uint apart = 1u; apart < key_threads; apart *= 2u)
    unmasked_rows |= subgroupShuffleXor(unmasked_rows, apart);
  [[unroll]] for (uint r = 0; r < rows_each; ++r) {
    const uint i = first + row_thread + r * row_threads;
    float total = sum_of_row(row_sum[r]), largest = row_max[r], factor = 1.0;
    const bool all_masked = (unmasked_rows >> r & 1u) == 0u;
    if (has_sinks && !all_masked) factor = joined_sink(largest, total);
    // A row without weights has masked keys only, or keys that score -inf.
    const bool none = floatBitsToUint(total) == 0u;
    [[unroll]] for (uint c = 0; c < columns; ++c) {
      const uint d = (key_thread + c * key_threads) * 4u;
      if (i >= Sq || d >= Dv) continue;
      vec4 x = acc[r * columns + c];
      if (has_sinks) x *= factor;
      vec4 value = vec4(divide(x.x, total), divide(x.y, total), divide(x.z, total), divide(x.w, total));
      if (none) value = vec4(all_masked ? 0.0 : quiet_nan());
      wide_y[(y_begin() + i * y_row + d) / 4u] = value;
    }
  }
}

void work_on(uint from) {
  for (uint step = 0; step < steps; ++step) {
    stage_q_and_k();
    barrier();
    if (step + 1u < steps) fetch_q_and_k(from, step + 1u);
    else fetch_v(from, 0u);
    multiply_q_and_k();
    barrier();
  }
  const bool may_mask_here = has_mask || has_bias || !is_all_unmasked(from);
  find_scores(from, may_mask_here);
  find_weights(may_mask_here);
  for (uint step = 0; step < v_steps; ++step) {
    stage_weights();
    stage_v(may_mask && may_mask_here);
    barrier();
    if (step + 1u < v_steps) fetch_v(from, step + 1u);
    else if (from + keys < end) fetch_q_and_k(from + keys, 0u);
    if (may_mask && may_mask_here && special != 0u) multiply_unmasked_weights_and_v();
    else multiply_weights_and_v();
    barrier();
  }
}

void main() {
  const uint task = group_index();
  if (task >= tasks) return;
  begin_task(task, (Sq + rows - 1u) / rows, rows);
  me = gl_SubgroupID * subgroup_size + gl_SubgroupInvocationID;
  row_thread = me / key_threads;
  key_thread = me % key_threads;
  if (may_mask) {
    if (me == 0u) special = 0u;
    barrier();
  }
  unmasked_rows = 0u;
  [[unroll]] for (uint r = 0; r < rows_each; ++r) {
    row_max[r] = uintBitsToFloat(minus_infinity_bits);
    row_sum[r] = 0.0;
  }
  [[unroll]] for (uint e = 0; e < rows_each * columns; ++e) acc[e] = vec4(0.0);
  if (begin < end) fetch_q_and_k(begin, 0u);
  for (uint from = begin; from < end; from += keys) {
    [[unroll]] for (uint e = 0; e < rows_each * keys_each; ++e) scores[e] = 0.0;
    work_on(from);
  }
  store_results();
}
