// Filters of codes, and what they meet of an image, as the sides of code_tiles.glsl: the elements that filters meet are
// a matrix of channels and taps by positions. Outside of the image there is its zero point, which less itself is 0.
// Bindings 0 to 3 are theirs.
#ifndef PLUMB_CODE_IMAGE_GLSL
#define PLUMB_CODE_IMAGE_GLSL

#define PUSHED uint batch, group, channels, filters, flags, filter_step;  // channels and filters of one group
#include "gpu_vulkan/kernels/common/code_tiles.glsl"
#include "gpu_vulkan/kernels/conv/convolution.glsl"

layout(set = 0, binding = 0) readonly buffer W { uint w[]; };
layout(set = 0, binding = 1) readonly buffer X { uint x[]; };
layout(set = 0, binding = 2) readonly buffer WZero { uint w_zero[]; };
layout(set = 0, binding = 3) readonly buffer XZero { uint x_zero[]; };

// Which group of which image this workgroup computes a tile of.
uint block;

uint terms() { return channels * taps(); }

bool begin_image() {
  block = group_index() / tiles_of(filters, positions_of_image());
  return block < batch * group;
}

uint filter_of(uint row) { return block % group * filters + row; }

int left_at(uint row, uint k) {
  const uint at = filter_of(row) * terms() + k, zero = filter_of(row) * filter_step;
  const bool is_signed = (flags & LEFT_SIGNED) != 0u;
  const int code = code_of(w[at >> 2], at, is_signed);
  return (flags & HAS_LEFT_ZERO) == 0u ? code : code - code_of(w_zero[zero >> 2], zero, is_signed);
}

int right_at(uint k, uint column) {
  const ivec3 seen = corner_of(column) + tap_of(k);
  if (!is_inside(seen)) return 0;
  const uint at = position_in_x(block * channels + k / taps(), seen);
  const bool is_signed = (flags & RIGHT_SIGNED) != 0u;
  const int code = code_of(x[at >> 2], at, is_signed);
  return (flags & HAS_RIGHT_ZERO) == 0u ? code : code - code_of(x_zero[0], 0u, is_signed);
}

uint position_in_y(uint row, uint column) { return (block * filters + row) * positions_of_image() + column; }

#endif
