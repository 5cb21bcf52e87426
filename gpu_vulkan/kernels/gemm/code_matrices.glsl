// Matrices of codes and their zero points as the sides of code_tiles.glsl, in a batch whose axes a table has. Bindings
// 0 to 4 are theirs.
#ifndef PLUMB_CODE_MATRICES_GLSL
#define PLUMB_CODE_MATRICES_GLSL

#include "gpu_vulkan/kernels/common/code_tiles.glsl"

layout(push_constant) uniform Block {
  uint m, n, k, batches, axes, flags;
  uint row_step, column_step;  // from the zero point of a row to that of the next; 0: all rows have one
};

// Strides along an axis of the batch, in elements.
struct BatchAxis {
  uint extent, a, b, a_zero, b_zero;
};

layout(set = 0, binding = 0) readonly buffer A { uint a[]; };
layout(set = 0, binding = 1) readonly buffer B { uint b[]; };
layout(set = 0, binding = 2) readonly buffer AZero { uint a_zero[]; };
layout(set = 0, binding = 3) readonly buffer BZero { uint b_zero[]; };
layout(set = 0, binding = 4) readonly buffer Axes { BatchAxis table[]; };

// Which product this workgroup computes a tile of, and where its matrices and zero points begin.
uint product, a_first, b_first, a_zero_first, b_zero_first;

bool begin_product() {
  product = group_index() / tiles_of(m, n);
  if (product >= batches) return false;
  a_first = b_first = a_zero_first = b_zero_first = 0u;
  uint rest = product;
  for (uint axis = axes; axis-- > 0u;) {
    const uint at = rest % table[axis].extent;
    rest /= table[axis].extent;
    a_first += at * table[axis].a;
    b_first += at * table[axis].b;
    a_zero_first += at * table[axis].a_zero;
    b_zero_first += at * table[axis].b_zero;
  }
  return true;
}

int left_at(uint row, uint at_k) {
  const uint at = a_first + row * k + at_k, zero = a_zero_first + row * row_step;
  const bool is_signed = (flags & LEFT_SIGNED) != 0u;
  const int code = code_of(a[at >> 2], at, is_signed);
  return (flags & HAS_LEFT_ZERO) == 0u ? code : code - code_of(a_zero[zero >> 2], zero, is_signed);
}

int right_at(uint at_k, uint column) {
  const uint at = b_first + at_k * n + column, zero = b_zero_first + column * column_step;
  const bool is_signed = (flags & RIGHT_SIGNED) != 0u;
  const int code = code_of(b[at >> 2], at, is_signed);
  return (flags & HAS_RIGHT_ZERO) == 0u ? code : code - code_of(b_zero[zero >> 2], zero, is_signed);
}

uint position_in_y(uint row, uint column) { return (product * m + row) * n + column; }

#endif
