// Slices of x at tuples of indices. The includer declares what IndexTuples holds
// (gpu_vulkan/kernels/indexing/indexed.hpp) as push constants, the constant tuple_length, and what
// indices.glsl wants.
#ifndef PLUMB_INDEX_TUPLES_GLSL
#define PLUMB_INDEX_TUPLES_GLSL

#include "gpu_vulkan/glsl/divide.glsl"
#include "gpu_vulkan/kernels/indexing/indices.glsl"

/// Whether tuple t is in range, and the slice it means; a fault when not.
bool find_slice(uint t, out uint slice) {
  slice = divide(t, by_in_batch) * of_x;
  bool found = true;
  for (uint k = 0u; k < tuple_length; ++k) {
    uint position;
    found = find_position(t * tuple_length + k, extents[k], position) && found;
    slice += position * strides[k];
  }
  return found;
}

#endif
