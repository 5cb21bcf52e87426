#version 450
// variants: f32 f16 bf16 f64
// y = x W^T + bias with packed W, tile by tile; weights, and x where it is codes with a scale for 32 of a row, are
// decoded on their way into shared memory. Where rows have experts, W and bias are those of the tile's expert.
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/glsl/divide.glsl"
#include "gpu_vulkan/glsl/element.glsl"
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/glsl/specials_kept.glsl"
#include "gpu_vulkan/kernels/gemm/element_tile.glsl"

layout(constant_id = 6) const uint format = 0;
layout(constant_id = 7) const uint scale_type = 9;
layout(constant_id = 8) const bool has_zero_points = false;
layout(constant_id = 9) const bool has_bias = false;
layout(constant_id = 10) const uint weight_dtype = 0;  // f32, f16, bf16
layout(constant_id = 11) const bool is_unrounded = false;
layout(constant_id = 12) const bool is_grouped = false;
layout(constant_id = 13) const uint block_bytes = 18;
layout(constant_id = 14) const bool has_x_scales = false;

layout(push_constant) uniform Block {
  uint m, n, k;
  uint scales_of_row;
  uvec2 by_block;  // elements that share a scale
  uint row_tiles;  // at most so many tiles below each other
};
layout(set = 0, binding = 0) readonly buffer X { STORED x[]; };
layout(set = 0, binding = 0) readonly buffer XCodes { uint x_codes[]; };
layout(set = 0, binding = 1) readonly buffer Codes { uint codes[]; };
layout(set = 0, binding = 2) readonly buffer Scales { uint scales[]; };
layout(set = 0, binding = 3) readonly buffer ZeroPoints { uint zero_points[]; };
layout(set = 0, binding = 4) readonly buffer Bias { STORED bias[]; };
#define EXPERT_TILES 5
#include "gpu_vulkan/kernels/gemm/grouped_tile.glsl"
layout(set = 0, binding = 7) readonly buffer XScales { COMPUTED x_scales[]; };
layout(set = 0, binding = 8) writeonly buffer Y { STORED y[]; };
layout(set = 0, binding = 8) writeonly buffer Sums { COMPUTED y_unrounded[]; };

#include "gpu_vulkan/glsl/packed/weight.glsl"

float rounded_weight(float w) {
  if (weight_dtype == 1u) return float_from_f16(f16_from_float(w));
  return weight_dtype == 2u ? float_from_bf16(bf16_from_float(w)) : w;
}

float weight(uint row, uint at_k) {
  uint group = 0;
  if (has_real_scales()) group = row * scales_of_row + divide(at_k, by_block);
  return rounded_weight(weight_at(row * k + at_k, group));
}

uint first_row;

uint row_of(uint r) { return is_grouped ? row_numbers[r] : first_row + r; }
uint weight_row(uint column) { return is_grouped ? expert * n + column : column; }

COMPUTED left_at(uint r, uint at_k) {
  const uint row = row_of(r), at = row * k + at_k;
  if (!has_x_scales) return load(x[at]);
  const int code = bitfieldExtract(int(x_codes[at >> 2]), int(at & 3u) * 8, 8);
  return COMPUTED(code) * x_scales[row * ((k + 31u) >> 5) + (at_k >> 5)];
}
COMPUTED right_at(uint column, uint at_k) { return COMPUTED(weight(weight_row(column), at_k)); }

void finish(uint r, uint column, COMPUTED sum) {
  if (has_bias && !(is_grouped && expert == NO_EXPERT)) sum += load(bias[weight_row(column)]);
  const uint at = row_of(r) * n + column;
  if (is_unrounded) y_unrounded[at] = sum;
  else y[at] = store(sum);
}

void main() {
  const uint tiles_across = (n + columns - 1) / columns, row_tile = group_index() / tiles_across;
  if (row_tile >= row_tiles) return;
  first_row = row_tile * rows;
  const uint height = is_grouped ? begin_rows(row_tile) : min(rows, m - first_row);
  const uint terms = is_grouped && expert == NO_EXPERT ? 0u : k;
  if (height > 0u) sum_tile(height, group_index() % tiles_across * columns, n, terms, true);
}
