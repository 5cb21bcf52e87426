#version 450
// Overlap-add: an invocation sums what the windows hold of one sample, in chunks of 256.
// variants: f32 f16 bf16 f64
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/glsl/divide.glsl"
#include "gpu_vulkan/glsl/element.glsl"
#include "gpu_vulkan/glsl/index.glsl"

layout(local_size_x_id = 0) in;

layout(set = 0, binding = 0) readonly buffer X { STORED x[]; };
layout(set = 0, binding = 1) writeonly buffer Y { STORED y[]; };
layout(push_constant) uniform Block {
  uvec2 by_length, by_hop;  // first, since a pair begins at a multiple of its size
  uint elements, length_of_line, windows, size, hop;
};

void main() {
  const uint element = invocation_index();
  if (element >= elements) return;
  const uint line = divide(element, by_length), at = element - line * length_of_line;
  const uint first = at < size ? 0u : divide(at - size, by_hop) + 1u;
  const uint end = min(divide(at, by_hop) + 1u, windows);
  COMPUTED sum = COMPUTED(0), chunk = COMPUTED(0);
  for (uint f = first; f < end; ++f) {
    chunk += load(x[(line * windows + f) * size + at - f * hop]);
    if ((f - first) % 256u == 255u) {
      sum += chunk;
      chunk = COMPUTED(0);
    }
  }
  y[element] = store(sum + chunk);
}
