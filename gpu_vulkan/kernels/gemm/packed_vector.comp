#version 450
// variants: f32 f16 bf16
// y = x W^T + bias with packed W for a few rows of x, which share each weight that a lane decodes. A subgroup has
// `lanes` lanes for a row of W, each of which has `lines_each` rows and takes every lanes * parts-th share of them. Its
// lanes stage their terms of x in shared memory, so that none waits for a bank that another reads. The `parts`
// subgroups of a workgroup have the same rows, and meet one after the other. Where rows of x have experts, W and bias
// are those of the tile's expert.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "gpu_vulkan/glsl/divide.glsl"
#include "gpu_vulkan/glsl/element.glsl"
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/glsl/specials_kept.glsl"

layout(constant_id = 1) const uint rows = 1;  // as many as a tile has rows of x, or more
layout(constant_id = 2) const uint lanes = 8;
layout(constant_id = 3) const uint parts = 8;
layout(constant_id = 4) const uint lines_each = 4;
layout(constant_id = 5) const uint subgroup_size = 32;
layout(constant_id = 6) const uint format = 0;
layout(constant_id = 7) const uint scale_type = 9;
layout(constant_id = 8) const bool has_zero_points = false;
layout(constant_id = 9) const bool has_bias = false;
layout(constant_id = 10) const uint weight_dtype = 0;  // f32, f16, bf16
layout(constant_id = 11) const bool is_unrounded = false;
layout(constant_id = 12) const bool is_grouped = false;
layout(constant_id = 13) const uint block_bytes = 18;
layout(constant_id = 14) const bool is_unrolled = false;
layout(constant_id = 15) const bool is_ahead = false;

layout(push_constant) uniform Block {
  uint m, n, k;
  uint row_bytes, last_word;
  uint scales_of_row;
  uvec2 by_block;  // elements that share a scale
  uint row_tiles;  // at most so many tiles below each other
};
#ifdef VARIANT_f32
layout(set = 0, binding = 0) readonly buffer X { uvec4 x[]; };
#else
layout(set = 0, binding = 0) readonly buffer X { uvec2 x[]; };
#endif
layout(set = 0, binding = 1) readonly buffer Codes { uint codes[]; };
layout(set = 0, binding = 1) readonly buffer Quads { uvec4 quads[]; };
layout(set = 0, binding = 2) readonly buffer Scales { uint scales[]; };
layout(set = 0, binding = 3) readonly buffer ZeroPoints { uint zero_points[]; };
layout(set = 0, binding = 4) readonly buffer Bias { STORED bias[]; };
#define EXPERT_TILES 5
#include "gpu_vulkan/kernels/gemm/grouped_tile.glsl"
layout(set = 0, binding = 7) writeonly buffer Y { STORED y[]; };
layout(set = 0, binding = 7) writeonly buffer Sums { float y_unrounded[]; };

#include "gpu_vulkan/glsl/packed/runs.glsl"

const uint lines = subgroup_size / lanes * lines_each;  // rows of W that a workgroup has
shared float partial[parts * lines * rows];
float sums[lines_each * rows];
Run runs[lines_each];
vec4 weights[lines_each];

// Four terms after the other, with a gap behind as many as keeps those that lanes read at once in banks of their own.
const uint fours = lanes * share / 4u, dense = is_scattered ? 32u : share / 4u, pitch = fours + fours / dense + 1u;
shared vec4 staged[parts * rows * pitch];
uint place_of(uint four) { return four + four / dense; }

vec4 four_numbers(uint at) {
#ifdef VARIANT_f32
  return uintBitsToFloat(x[at]);
#else
  const uvec2 pairs = x[at];
  return vec4(from_bits(pairs.x & 0xFFFFu), from_bits(pairs.x >> 16), from_bits(pairs.y & 0xFFFFu),
              from_bits(pairs.y >> 16));
#endif
}

float rounded_weight(float w) {
  if (weight_dtype == 1u) return float_from_f16(f16_from_float(w));
  return weight_dtype == 2u ? float_from_bf16(bf16_from_float(w)) : w;
}

uint first_row;

uint row_of(uint r) { return is_grouped ? row_numbers[r] : first_row + r; }
uint matrix_row(uint line) { return is_grouped ? expert * n + line : line; }

/// Stages the terms of a row of x that the subgroup's lanes have, from share `first` on.
void stage(uint first, uint base, uint row_at) {
  [[unroll]] for (uint q = 0u; q < fours; q += subgroup_size) {
    const uint four = q + gl_SubgroupInvocationID, at = min(first * (share / 4u) + four, k / 4u - 1u);
    if (four < fours) staged[base + place_of(four)] = four_numbers(row_at + at);
  }
}
void stage_all(uint first, uint base, uint x_at[rows]) {
  if (is_unrolled) {
    [[unroll]] for (uint v = 0u; v < rows; ++v) stage(first, base + v * pitch, x_at[v]);
  } else {
    [[dont_unroll]] for (uint v = 0u; v < rows; ++v) stage(first, base + v * pitch, x_at[v]);
  }
}

/// Adds up what the lanes of a row have: lane i first meets lane i + lanes / 2.
void meet(uint e) {
  [[unroll]] for (uint apart = lanes / 2u; apart > 0u; apart /= 2u) sums[e] += subgroupShuffleXor(sums[e], apart);
}
void meet_all() {
  if (is_unrolled) {
    [[unroll]] for (uint e = 0u; e < lines_each * rows; ++e) meet(e);
  } else {
    [[dont_unroll]] for (uint e = 0u; e < lines_each * rows; ++e) meet(e);
  }
}

void load_all(out Words words[lines_each], uint row_at[lines_each], uint group_at[lines_each], uint number) {
  [[unroll]] for (uint r = 0u; r < lines_each; ++r) words[r] = load_share(row_at[r], number, group_at[r]);
}

void decode(uint four) {
  [[unroll]] for (uint r = 0u; r < lines_each; ++r) {
    weights[r] = four_weights(runs[r], four);
    if (weight_dtype != 0u) [[unroll]] for (uint i = 0u; i < 4u; ++i) weights[r][i] = rounded_weight(weights[r][i]);
  }
}

void add_four(uint v, uint at) {
  const vec4 factors = staged[at];
  [[unroll]] for (uint r = 0u; r < lines_each; ++r) {
    const uint e = r * rows + v;
    [[unroll]] for (uint i = 0u; i < 4u; ++i) sums[e] = fma(weights[r][i], factors[i], sums[e]);
  }
}

/// Adds what the lane has fetched. Software would take longer to compile it unrolled than to run it.
void add_share(uint lane, uint base) {
  if (is_unrolled) {
    [[unroll]] for (uint four = 0u; four < share / 4u; ++four) {
      decode(four);
      [[unroll]] for (uint v = 0u; v < rows; ++v)
        add_four(v, base + v * pitch + place_of(position_of(lane, four) / 4u));
    }
  } else {
    [[dont_unroll]] for (uint four = 0u; four < share / 4u; ++four) {
      decode(four);
      [[dont_unroll]] for (uint v = 0u; v < rows; ++v)
        add_four(v, base + v * pitch + place_of(position_of(lane, four) / 4u));
    }
  }
}

void finish(uint v, uint line, float sum) {
  if (has_bias && !(is_grouped && expert == NO_EXPERT)) sum += load(bias[matrix_row(line)]);
  const uint at = row_of(v) * n + line;
  if (is_unrounded) y_unrounded[at] = sum;
  else y[at] = store(sum);
}

void main() {
  const uint groups_across = (n + lines - 1u) / lines, row_tile = group_index() / groups_across;
  if (row_tile >= row_tiles) return;
  first_row = row_tile * rows;
  const uint height = is_grouped ? begin_rows(row_tile) : min(rows, m - first_row);
  if (height == 0u) return;
  const uint shares = is_grouped && expert == NO_EXPERT ? 0u : k / share;
  const uint lane = gl_SubgroupInvocationID % lanes, part = gl_SubgroupID;
  const uint first_line = group_index() % groups_across * lines;
  const uint mine = gl_SubgroupInvocationID / lanes * lines_each;

  uint row_at[lines_each], group_at[lines_each], x_at[rows];
  [[unroll]] for (uint r = 0u; r < lines_each; ++r) {
    const uint row = matrix_row(min(first_line + mine + r, n - 1u));
    row_at[r] = row * row_bytes;
    group_at[r] = row * scales_of_row;
  }
  [[unroll]] for (uint v = 0u; v < rows; ++v) x_at[v] = row_of(min(v, height - 1u)) * (k / 4u);
  [[unroll]] for (uint e = 0u; e < lines_each * rows; ++e) sums[e] = 0.0;
  fill_table();
  const uint base = part * rows * pitch;
  Words words[lines_each];
  if (is_ahead && shares > 0u) load_all(words, row_at, group_at, min(part * lanes + lane, shares - 1u));
  for (uint first = part * lanes; first < shares; first += lanes * parts) {
    const uint number = min(first + lane, shares - 1u);
    if (!is_ahead) load_all(words, row_at, group_at, number);
    stage_all(first, base, x_at);
    [[unroll]] for (uint r = 0u; r < lines_each; ++r) runs[r] = unpacked(words[r], row_at[r], number);
    if (is_ahead) load_all(words, row_at, group_at, min(number + lanes * parts, shares - 1u));
    subgroupMemoryBarrierShared();
    subgroupBarrier();
    if (first + lane < shares) add_share(lane, base);
    subgroupBarrier();
  }

  meet_all();
  if (lane == 0u)
    [[unroll]] for (uint e = 0u; e < lines_each * rows; ++e)
      partial[(part * lines + mine) * rows + e] = sums[e];
  barrier();
  for (uint e = gl_LocalInvocationID.x; e < lines * rows; e += gl_WorkGroupSize.x) {
    const uint line = first_line + e / rows, v = e % rows;
    if (line >= n || v >= height) continue;
    float sum = 0.0;
    for (uint p = 0u; p < parts; ++p) sum += partial[p * lines * rows + e];
    finish(v, line, sum);
  }
}
