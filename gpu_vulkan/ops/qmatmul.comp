#version 450
// Products of codes, tile by tile, requantised.
// variants: f32 f64
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/kernels/gemm/code_matrices.glsl"
#define FIRST_SCALE 5
#include "gpu_vulkan/kernels/common/requantize.glsl"

void finish(uint row, uint column, int sum) {
  if ((flags & HAS_BIAS) != 0u) sum += bias[column];
  // Scales lie as their zero points do.
  y[position_in_y(row, column)] =
      uint8_t(requantized(sum, a_zero_first + row * row_step, b_zero_first + column * column_step));
}

void main() {
  if (begin_product()) sum_tile(group_index() % tiles_of(m, n), m, n, k);
}
