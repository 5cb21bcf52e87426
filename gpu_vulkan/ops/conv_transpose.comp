#version 450
// Transposed convolution: an invocation sums all that meets in one element of y, over the channels of its group, in
// chunks of 256. Taps fall so that elements of x rise, which is the order of the contract.
// variants: f32 f16 bf16 f64
#extension GL_GOOGLE_include_directive : require
#define PUSHED uint elements, group, channels, filters, tap_step[3], index_step[3];  // channels, filters of one group
#include "gpu_vulkan/kernels/conv/convolution.glsl"
#include "gpu_vulkan/kernels/conv/adjoint.glsl"
#include "gpu_vulkan/glsl/element.glsl"
#include "gpu_vulkan/glsl/index.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const bool has_bias = false;

layout(set = 0, binding = 0) readonly buffer X { STORED x[]; };
layout(set = 0, binding = 1) readonly buffer W { STORED w[]; };
layout(set = 0, binding = 2) readonly buffer Bias { STORED bias[]; };
layout(set = 0, binding = 3) writeonly buffer Y { STORED y[]; };

void main() {
  const uint element = invocation_index();
  if (element >= elements) return;
  const uint row = element / extent[2], line = row / extent[1], plane = line / extent[0];
  const uint filter_index = plane % (group * filters), block = filter_index / filters;
  const uint image = plane / (group * filters) * group + block;
  const Meeting m0 = meetings(0, line % extent[0]), m1 = meetings(1, row % extent[1]);
  const Meeting m2 = meetings(2, element % extent[2]);
  COMPUTED sum = COMPUTED(0), chunk = COMPUTED(0);
  uint terms = 0u;
  for (uint c = 0u; c < channels; ++c) {
    const uint from_x = (image * channels + c) * positions_of_image();
    const uint from_w = ((block * channels + c) * filters + filter_index % filters) * taps();
    for (uint i0 = m0.count; i0-- > 0u;)
      for (uint i1 = m1.count; i1-- > 0u;) {
        const uint tap = (m0.tap + i0 * tap_step[0]) * kernel[1] + m1.tap + i1 * tap_step[1];
        const uint position = (m0.index - i0 * index_step[0]) * positions[1] + m1.index - i1 * index_step[1];
        for (uint i2 = m2.count; i2-- > 0u;) {
          chunk += load(w[from_w + tap * kernel[2] + m2.tap + i2 * tap_step[2]]) *
                   load(x[from_x + position * positions[2] + m2.index - i2 * index_step[2]]);
          if (++terms % 256u == 0u) {
            sum += chunk;
            chunk = COMPUTED(0);
          }
        }
      }
  }
  sum += chunk;
  if (has_bias) sum += load(bias[filter_index]);
  y[element] = store(sum);
}
