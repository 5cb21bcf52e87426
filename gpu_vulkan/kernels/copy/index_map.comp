#version 450
// variants: w1 w2 w4 w8 w16
// Each invocation makes one element of y, which is read along each axis beyond the ends of
// x (ir/kernels/index_map.hpp), or filled with a value, or with 0 where there is none.
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/glsl/divide.glsl"
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/glsl/word.glsl"

layout(local_size_x_id = 0) in;
const uint FILL = 0u, CLAMP = 1u, WRAP = 2u, REFLECT = 3u;  // as ir::Beyond
layout(constant_id = 1) const uint axes = 1;
layout(constant_id = 2) const uint beyond = FILL;
layout(constant_id = 3) const uint value_bytes = 0;

struct Axis {
  uint extent;
  uint by_extent_multiplier, by_extent_shift;
  uint size;
  int shift;
  uint stride;
  uint period;
  uint by_period_multiplier, by_period_shift;
};

layout(set = 0, binding = 0) readonly buffer X { WORD x[]; };
layout(set = 0, binding = 1) readonly buffer Value { uint value[]; };
layout(set = 0, binding = 2) readonly buffer Axes { Axis table[]; };
layout(set = 0, binding = 3) writeonly buffer Y { WORD y[]; };
layout(push_constant) uniform Block { uint count, from; };

/// Word i of as many values as an element of y is wide.
uint value_word(uint i) {
  if (value_bytes == 0u) return 0u;
  if (value_bytes == 1u) return (value[0] & 0xFFu) * 0x01010101u;
  if (value_bytes == 2u) return (value[0] & 0xFFFFu) * 0x00010001u;
  return value[i % (value_bytes / 4u)];
}

HELD filler() {
#if defined(VARIANT_w16)
  return uvec4(value_word(0u), value_word(1u), value_word(2u), value_word(3u));
#elif defined(VARIANT_w8)
  return uvec2(value_word(0u), value_word(1u));
#else
  return value_word(0u);
#endif
}

/// The position on the axis that j means; false where there is none.
bool find(Axis axis, uint j, out uint at) {
  const int from_start = int(j) + axis.shift;
  at = uint(from_start);
  if (from_start >= 0 && at < axis.size) return true;
  if (beyond == FILL) return false;
  if (beyond == CLAMP) {
    at = from_start < 0 ? 0u : axis.size - 1u;
    return true;
  }
  const bool turns_back = beyond == WRAP && from_start < 0;
  const uint steps = turns_back ? ~at : uint(abs(from_start));  // from -1 down, or from 0
  const uint within = steps - divide(steps, axis.by_period_multiplier, axis.by_period_shift) * axis.period;
  at = turns_back ? axis.period - 1u - within : within < axis.size ? within : axis.period - within;
  return true;
}

void main() {
  const uint i = invocation_index();
  if (i >= count) return;
  uint rest = i, source = from;
  bool is_inside = true;
  for (uint k = axes; k-- > 0u;) {
    const Axis axis = table[k];
    const uint next = divide(rest, axis.by_extent_multiplier, axis.by_extent_shift);
    uint at;
    is_inside = find(axis, rest - next * axis.extent, at) && is_inside;
    source += at * axis.stride;
    rest = next;
  }
  HELD element = filler();
  if (is_inside) element = HELD(x[source]);
  y[i] = WORD(element);
}
