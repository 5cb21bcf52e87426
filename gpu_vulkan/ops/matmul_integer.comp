#version 450
// Products of codes less their zero points, tile by tile.
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/kernels/gemm/code_matrices.glsl"

layout(set = 0, binding = 5) writeonly buffer Y { int y[]; };

void finish(uint row, uint column, int sum) { y[position_in_y(row, column)] = sum; }

void main() {
  if (begin_product()) sum_tile(group_index() % tiles_of(m, n), m, n, k);
}
