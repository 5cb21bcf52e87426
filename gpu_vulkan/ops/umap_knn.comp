#version 450
// Nearest neighbours from the first k + 1 of each row: the point itself is left out, where it is among them, and so is
// NaN. An invocation has one slot. The point is in front of the s-th of the row where its own distance comes first.
// variants: w2 w4 w8
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/kernels/sort/ordered.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint encoding = FLOAT;
layout(constant_id = 2) const uint index_words = 1;

layout(set = 0, binding = 0) readonly buffer Distances { WORD distances[]; };
layout(set = 0, binding = 1) readonly buffer Found { uint found[]; };  // places in a row, k + 1 of them
layout(set = 0, binding = 2) writeonly buffer Nearest { WORD nearest[]; };
layout(set = 0, binding = 3) writeonly buffer Neighbours { uint neighbours[]; };
layout(push_constant) uniform Block { uint n, k; };

KEY key_at(uint row, uint column) { return key_of(HELD(distances[row * n + column]), encoding); }

HELD infinity() {
#if defined(VARIANT_w8)
  return uvec2(0u, 0x7FF00000u);
#elif defined(VARIANT_w2)
  return encoding == BRAIN ? 0x7F80u : 0x7C00u;
#else
  return 0x7F800000u;
#endif
}

void main() {
  const uint at = invocation_index();
  if (at >= n * k) return;
  const uint row = at / k, slot = at - row * k;
  uint j = found[row * (k + 1u) + slot];
  const KEY own = key_at(row, row), other = key_at(row, j);
  if (before(own, other) || (own == other && row <= j)) j = found[row * (k + 1u) + slot + 1u];
  const bool is_chosen = !is_unordered(key_at(row, j), encoding);
  HELD distance = infinity();
  if (is_chosen) distance = HELD(distances[row * n + j]);
  nearest[at] = WORD(distance);
  for (uint word = 0u; word < index_words; ++word)
    neighbours[at * index_words + word] = !is_chosen ? 0xFFFFFFFFu : word == 0u ? j : 0u;
}
