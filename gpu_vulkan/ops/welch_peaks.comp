#version 450
// Means of bins over segments: an invocation adds one bin of all segments, in chunks of 256.
// variants: f32 f16 bf16 f64
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/glsl/arithmetic.glsl"
#include "gpu_vulkan/glsl/divide.glsl"
#include "gpu_vulkan/glsl/element.glsl"
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/glsl/specials_kept.glsl"

layout(local_size_x_id = 0) in;

layout(set = 0, binding = 0) readonly buffer Power { STORED power[]; };
layout(set = 0, binding = 1) writeonly buffer Means { COMPUTED means[]; };
layout(push_constant) uniform Block {
  uvec2 by_bins;
  uint elements, segments, bins, fft_length;
};

#ifdef VARIANT_f64
/// A device's quotient may be of f32 quality.
precise double mean_of(double sum, double count) {
  if (is_nan(sum) || is_infinite(sum)) return sum;
  const double q = sum / count;
  return q + fma(-q, count, sum) / count;
}
#else
float mean_of(float sum, float count) { return divide(sum, count); }
#endif

void main() {
  const uint element = invocation_index();
  if (element >= elements) return;
  const uint row = divide(element, by_bins), bin = element - row * bins;
  COMPUTED sum = COMPUTED(0), chunk = COMPUTED(0);
  for (uint s = 0; s < segments; ++s) {
    chunk += load(power[(row * segments + s) * bins + bin]);
    if (s % 256u == 255u) {
      sum += chunk;
      chunk = COMPUTED(0);
    }
  }
  const COMPUTED mean = mean_of(sum + chunk, COMPUTED(segments));
  means[element] = bin == 0u || 2u * bin == fft_length ? mean : mean * COMPUTED(2);
}
