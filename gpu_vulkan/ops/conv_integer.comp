#version 450
// Convolution of codes less their zero points, tile by tile of filters and positions.
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/kernels/conv/code_image.glsl"

layout(set = 0, binding = 4) writeonly buffer Y { int y[]; };

void finish(uint row, uint column, int sum) { y[position_in_y(row, column)] = sum; }

void main() {
  if (begin_image())
    sum_tile(group_index() % tiles_of(filters, positions_of_image()), filters, positions_of_image(), terms());
}
