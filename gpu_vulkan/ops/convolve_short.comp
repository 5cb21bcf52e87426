#version 450
// Convolution of short lines as direct sums: an invocation makes one sample. A sum has at most 128 terms, which is less
// than a chunk of convolve.comp.
// variants: f32 f16 bf16 f64
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/glsl/divide.glsl"
#include "gpu_vulkan/glsl/element.glsl"
#include "gpu_vulkan/glsl/index.glsl"

layout(local_size_x_id = 0) in;

layout(set = 0, binding = 0) readonly buffer X { STORED x[]; };
layout(set = 0, binding = 1) readonly buffer H { STORED h[]; };
layout(set = 0, binding = 2) writeonly buffer Y { STORED y[]; };
layout(push_constant) uniform Block {
  uvec2 by_samples;
  uint elements, samples, length_of_line, taps;
};

void main() {
  const uint element = invocation_index();
  if (element >= elements) return;
  const uint line = divide(element, by_samples), n = element - line * samples;
  const uint begin = n < length_of_line ? 0u : n - length_of_line + 1u, end = min(taps, n + 1u);
  COMPUTED sum = COMPUTED(0);
  for (uint k = begin; k < end; ++k) sum += load(h[k]) * load(x[line * length_of_line + n - k]);
  y[element] = store(sum);
}
