#version 450
// Half spectra of long real lines: an invocation makes bins k and h - k from those of the transform of h pairs.
// variants: f32 f64
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/kernels/fourier/complex.glsl"

layout(set = 0, binding = 0) readonly buffer X { COMPLEX x[]; };
layout(set = 0, binding = 1) readonly buffer Roots { COMPLEX root[]; };
layout(set = 0, binding = 2) writeonly buffer Y { COMPLEX y[]; };
layout(push_constant) uniform Block {
  uint count;  // invocations
  uint inner;  // how far neighbours of a line are apart
  uint h;
};

void main() {
  const uint at = invocation_index(), each = h / 2u + 1u;
  if (at >= count) return;
  const uint column = at % inner, rest = at / inner, k = rest % each, outer = rest / each;
  const uint from = outer * h * inner + column, to = outer * (h + 1u) * inner + column;
  COMPLEX first, last;
  split(x[from + k * inner], x[from + (k == 0u ? 0u : h - k) * inner], root[k], first, last);
  if (k == 0u) first.y = last.y = REAL(0);
  y[to + k * inner] = first;
  y[to + (h - k) * inner] = last;
}
