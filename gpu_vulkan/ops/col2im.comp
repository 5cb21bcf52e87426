#version 450
// Col2im: an invocation sums what the columns hold of one element of the image, in chunks of 256.
// variants: f32 f16 bf16 f64
#extension GL_GOOGLE_include_directive : require
#define PUSHED uint elements, tap_step[3], index_step[3];
#include "gpu_vulkan/kernels/conv/convolution.glsl"
#include "gpu_vulkan/kernels/conv/adjoint.glsl"
#include "gpu_vulkan/glsl/element.glsl"
#include "gpu_vulkan/glsl/index.glsl"

layout(local_size_x_id = 0) in;

layout(set = 0, binding = 0) readonly buffer X { STORED x[]; };
layout(set = 0, binding = 1) writeonly buffer Y { STORED y[]; };

void main() {
  const uint element = invocation_index();
  if (element >= elements) return;
  const uint row = element / extent[2], line = row / extent[1], plane = line / extent[0];
  const Meeting m0 = meetings(0, line % extent[0]), m1 = meetings(1, row % extent[1]);
  const Meeting m2 = meetings(2, element % extent[2]);
  COMPUTED sum = COMPUTED(0), chunk = COMPUTED(0);
  uint terms = 0u;
  for (uint i0 = 0u; i0 < m0.count; ++i0)
    for (uint i1 = 0u; i1 < m1.count; ++i1) {
      const uint tap = (m0.tap + i0 * tap_step[0]) * kernel[1] + m1.tap + i1 * tap_step[1];
      const uint position = (m0.index - i0 * index_step[0]) * positions[1] + m1.index - i1 * index_step[1];
      for (uint i2 = 0u; i2 < m2.count; ++i2) {
        const uint column = (plane * taps() + tap * kernel[2] + m2.tap + i2 * tap_step[2]) * positions_of_image();
        chunk += load(x[column + position * positions[2] + m2.index - i2 * index_step[2]]);
        if (++terms % 256u == 0u) {
          sum += chunk;
          chunk = COMPUTED(0);
        }
      }
    }
  y[element] = store(sum + chunk);
}
