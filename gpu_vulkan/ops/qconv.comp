#version 450
// Convolution of codes, tile by tile of filters and positions, requantised.
// variants: f32 f64
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/kernels/conv/code_image.glsl"
#define FIRST_SCALE 4
#include "gpu_vulkan/kernels/common/requantize.glsl"

void finish(uint row, uint column, int sum) {
  if ((flags & HAS_BIAS) != 0u) sum += bias[filter_of(row)];
  y[position_in_y(row, column)] = uint8_t(requantized(sum, filter_of(row) * filter_step, 0u));
}

void main() {
  if (begin_image())
    sum_tile(group_index() % tiles_of(filters, positions_of_image()), filters, positions_of_image(), terms());
}
