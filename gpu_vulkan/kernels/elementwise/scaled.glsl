// Elements that have scales and zero points: which of them element i takes, by the host's ScaleBlock (scaled.hpp), and
// what floats of few bits are, by constants of ir::kernels::SmallFloat. The includer defines RESULT as 3.
#ifndef PLUMB_SCALED_GLSL
#define PLUMB_SCALED_GLSL

#include "gpu_vulkan/kernels/elementwise/four_elements.glsl"

#include "gpu_vulkan/glsl/divide.glsl"

layout(constant_id = 5) const bool one_scale = true;
layout(constant_id = 6) const bool has_zero = false;
layout(constant_id = 7) const bool float_codes = false;
layout(constant_id = 8) const uint fraction_bits = 3;
layout(constant_id = 9) const uint least_exponent = 0;  // that of normal numbers, in two's complement
layout(constant_id = 10) const uint largest = 0;
layout(constant_id = 11) const uint beyond = 0;
layout(constant_id = 12) const uint nan_code = 0;
layout(constant_id = 13) const uint sign_bit = 0;

#ifdef HAS_F64
layout(set = 0, binding = 1) readonly buffer Scales { double scales[]; };
#else
layout(set = 0, binding = 1) readonly buffer Scales { uint scales[]; };  // bits: a device may load subnormals as 0
#endif
layout(set = 0, binding = 2) readonly buffer Zeros { int zeros[]; };
layout(push_constant) uniform Block {
  uint count;  // elements
  uint inner, extent;
  uint inner_divisor[2], extent_divisor[2], block_divisor[2];
  uint outer_step, block_step, inner_step;
};

uint scale_place(uint i) {
  if (one_scale) return 0u;
  const uint place = divide(i, uvec2(inner_divisor[0], inner_divisor[1]));
  const uint outer = divide(place, uvec2(extent_divisor[0], extent_divisor[1]));
  const uint block = divide(place - outer * extent, uvec2(block_divisor[0], block_divisor[1]));
  return outer * outer_step + block * block_step + (i - place * inner) * inner_step;
}

int zero_at(uint place) { return has_zero ? zeros[place] : 0; }

/// The bits of element i of the result, made of the bits of x.
uvec2 made_of(uint i, uvec2 bits);

void main() {
  const uint q = invocation_index();
  if (4u * q + 3u < count) {
    uvec4 low, high, y_low = uvec4(0u), y_high = uvec4(0u);
    load_whole(q, low, high);
    set_element(y_low, y_high, to_bytes, 0u, made_of(4u * q, element(low, high, from_bytes, 0u)));
    set_element(y_low, y_high, to_bytes, 1u, made_of(4u * q + 1u, element(low, high, from_bytes, 1u)));
    set_element(y_low, y_high, to_bytes, 2u, made_of(4u * q + 2u, element(low, high, from_bytes, 2u)));
    set_element(y_low, y_high, to_bytes, 3u, made_of(4u * q + 3u, element(low, high, from_bytes, 3u)));
    store_whole(q, y_low, y_high);
  } else {
    for (uint i = 4u * q; i < count; ++i) store_one(i, made_of(i, load_one(i)));
  }
}

#endif
