#version 450
// Convolution of filters that see one channel each: an invocation sums the taps of one element of y.
// variants: f32 f16 bf16 f64
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/kernels/conv/convolution.glsl"
#include "gpu_vulkan/glsl/element.glsl"
#include "gpu_vulkan/glsl/index.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const bool has_bias = false;

layout(set = 0, binding = 0) readonly buffer X { STORED x[]; };
layout(set = 0, binding = 1) readonly buffer W { STORED w[]; };
layout(set = 0, binding = 2) readonly buffer Bias { STORED bias[]; };
layout(set = 0, binding = 3) readonly buffer Residual { STORED residual[]; };
layout(set = 0, binding = 4) writeonly buffer Y { STORED y[]; };
#define EPILOGUE 2
#include "gpu_vulkan/kernels/conv/epilogue.glsl"

void main() {
  const uint element = invocation_index(), o = element % positions_of_image(), plane = element / positions_of_image();
  if (plane >= batch * group * filters) return;
  const uint filter_index = plane % (group * filters);
  const ivec3 corner = corner_of(o);
  COMPUTED sum = COMPUTED(0), chunk = COMPUTED(0);
  for (uint t = 0; t < taps(); ++t) {
    const ivec3 at = corner + tap_of(t);
    COMPUTED met = COMPUTED(0);
    if (is_inside(at)) met = load(x[position_in_x(plane / filters, at)]);
    chunk += load(w[filter_index * taps() + t]) * met;
    if (t % 256 == 255) {
      sum += chunk;
      chunk = COMPUTED(0);
    }
  }
  sum += chunk;
  if (has_bias) sum += load(bias[filter_index]);
  y[element] = store(finished(sum, element));
}
