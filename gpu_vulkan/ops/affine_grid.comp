#version 450
// Affine grid: an invocation makes one coordinate of a point.
// variants: f32 f16 bf16 f64
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/glsl/arithmetic.glsl"
#include "gpu_vulkan/glsl/element.glsl"
#include "gpu_vulkan/glsl/index.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint axes = 2;
layout(constant_id = 2) const bool align_corners = false;

layout(set = 0, binding = 0) readonly buffer Theta { STORED theta[]; };
layout(set = 0, binding = 1) writeonly buffer Grid { STORED grid[]; };
layout(push_constant) uniform Block {
  uint elements;
  uint extent[3];  // extents of the grid, the innermost first
};

// Rounded once: no difference of what was rounded before.
COMPUTED coordinate(uint i, uint count) {
  const COMPUTED twice = COMPUTED(int(2u * i) - int(count - 1u));  // from the middle
  if (!align_corners) return divide(twice, COMPUTED(count));
  return count == 1u ? COMPUTED(-1) : divide(twice, COMPUTED(count - 1u));
}

void main() {
  const uint at = invocation_index();
  if (at >= elements) return;
  uint rest = at / axes;
  COMPUTED v[3];
  for (uint k = 0u; k < axes; ++k) {
    v[k] = coordinate(rest % extent[k], extent[k]);
    rest /= extent[k];
  }
  const uint row = (rest * axes + at % axes) * (axes + 1u);
  COMPUTED sum = COMPUTED(0);
  for (uint k = 0u; k < axes; ++k) sum += load(theta[row + k]) * v[k];
  grid[at] = store(sum + load(theta[row + axes]));
}
