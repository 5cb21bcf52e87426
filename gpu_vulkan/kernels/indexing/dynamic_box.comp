#version 450
// variants: w1 w2 w4 w8 w16
// Each invocation moves one word of a box whose place is an operand: out of a tensor, or into it.
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/glsl/divide.glsl"
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/glsl/word.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint axes = 1;
layout(constant_id = 2) const uint index_words = 1;
layout(constant_id = 3) const bool is_written = false;
layout(constant_id = 4) const bool is_in_place = false;

struct Axis {
  uint size, by_size_multiplier, by_size_shift;
  uint last_start;
  uint stride;
};

layout(set = 0, binding = 0) readonly buffer From { WORD from[]; };
layout(set = 0, binding = 1) readonly buffer Starts { uint indices[]; };
layout(set = 0, binding = 2) readonly buffer Axes { Axis table[]; };
layout(set = 0, binding = 3) readonly buffer Faults { uint faults[]; };
layout(set = 0, binding = 4) writeonly buffer To { WORD to[]; };
layout(push_constant) uniform Block {
  uint count, words;
  uvec2 by_words;
};
#include "gpu_vulkan/glsl/wide_index.glsl"

/// A start in [0, last]: what is below is 0, what is above is `last`.
uint clamped(uint axis, uint last) {
  const uvec2 start = wide_index(axis, index_words);
  if ((start.y & 0x80000000u) != 0u) return 0u;
  return start.y != 0u ? last : min(start.x, last);
}

void main() {
  if (is_in_place && faults[0] != 0u) return;
  const uint i = invocation_index();
  if (i >= count) return;
  uint rest = divide(i, by_words), whole = i - rest * words;
  for (uint k = axes; k-- > 0u;) {
    const Axis axis = table[k];
    const uint next = divide(rest, axis.by_size_multiplier, axis.by_size_shift);
    whole += (clamped(k, axis.last_start) + rest - next * axis.size) * axis.stride;
    rest = next;
  }
  if (is_written)
    to[whole] = from[i];
  else
    to[i] = from[whole];
}
