#version 450
// variants: f32 f16 bf16 f64
// y = x w + bias, tile by tile of rows that have one expert, whose matrix of w and row of bias they take.
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/glsl/element.glsl"
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/glsl/specials_kept.glsl"
#include "gpu_vulkan/kernels/gemm/element_tile.glsl"

const uint TRANSPOSE_W = 1u, HAS_BIAS = 2u;

layout(push_constant) uniform Block {
  uint n, k, flags;
  uint row_tiles;  // at most so many tiles below each other
};
layout(set = 0, binding = 0) readonly buffer X { STORED x[]; };
layout(set = 0, binding = 1) readonly buffer W { STORED w[]; };
layout(set = 0, binding = 2) readonly buffer Bias { STORED bias[]; };
#define EXPERT_TILES 3
#include "gpu_vulkan/kernels/gemm/grouped_tile.glsl"
layout(set = 0, binding = 5) writeonly buffer Y { STORED y[]; };

bool is_transposed() { return (flags & TRANSPOSE_W) != 0u; }

COMPUTED left_at(uint r, uint at_k) { return load(x[row_numbers[r] * k + at_k]); }
COMPUTED right_at(uint column, uint at_k) {
  return load(w[is_transposed() ? (expert * n + column) * k + at_k : (expert * k + at_k) * n + column]);
}

void finish(uint r, uint column, COMPUTED sum) {
  if ((flags & HAS_BIAS) != 0u && expert != NO_EXPERT) sum += load(bias[expert * n + column]);
  y[row_numbers[r] * n + column] = store(sum);
}

void main() {
  const uint tiles_across = (n + columns - 1) / columns, row_tile = group_index() / tiles_across;
  if (row_tile >= row_tiles) return;
  const uint height = begin_rows(row_tile), terms = expert == NO_EXPERT ? 0u : k;
  if (height > 0u) sum_tile(height, group_index() % tiles_across * columns, n, terms, is_transposed());
}
