// Elements of x at indices along an axis (gpu_vulkan/kernels/indexing/indexed.hpp): the push constants, and
// where in x the line of element i of the indices starts. The multi-index of i comes from the
// divisions that strided_copy.comp explains. The includer declares the constant `axes`.
#ifndef PLUMB_INDEXED_ELEMENTS_GLSL
#define PLUMB_INDEXED_ELEMENTS_GLSL

#include "gpu_vulkan/glsl/divide.glsl"

layout(push_constant) uniform Block {
  uint count, extent, stride;
  uint node;
  uint multipliers[7];  // division by the extents of axes 1 to 7
  uint shifts[2];       // a byte each
  uint steps[8];
};

uint line_start(uint i) {
  uint start = i * steps[axes - 1u];
  for (uint k = axes - 1u; k > 0u; --k) {
    i = divide(i, multipliers[k - 1u], bitfieldExtract(shifts[(k - 1u) / 4u], int((k - 1u) % 4u) * 8, 8));
    start += i * steps[k - 1u];
  }
  return start;
}

#endif
