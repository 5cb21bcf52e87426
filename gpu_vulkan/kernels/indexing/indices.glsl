// Indices along an axis. The includer declares indices[], the constant index_words,
// and the push constant `node`, and includes faults.glsl.
#ifndef PLUMB_INDICES_GLSL
#define PLUMB_INDICES_GLSL

#include "gpu_vulkan/glsl/wide_index.glsl"

/// Whether index i lies in [-extent, extent), and the position it means; a fault when not.
bool find_position(uint i, uint extent, out uint position) {
  const uvec2 index = wide_index(i, index_words);
  const bool from_start = index.y == 0u && index.x < extent;
  const bool from_end = index.y == 0xFFFFFFFFu && ~index.x < extent;
  position = from_start ? index.x : index.x + extent;
  if (!from_start && !from_end) fault(node, i, index);
  return from_start || from_end;
}

#endif
