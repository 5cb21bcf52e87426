#version 450
// Logarithms of bands, no further below the largest of those that share it than the range allows: a workgroup makes one
// stretch of them, after it found the largest of all stretches.
// variants: f32 f16 bf16 f64
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/glsl/element.glsl"
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/glsl/specials_kept.glsl"
#ifdef VARIANT_f64
#include "gpu_vulkan/glsl/math_f64.glsl"
COMPUTED real_of(uvec2 bits) { return packDouble2x32(bits); }
const COMPUTED log10_e = 0.43429448190325183lf;
#else
#include "gpu_vulkan/glsl/math.glsl"
COMPUTED real_of(uvec2 bits) { return uintBitsToFloat(bits.x); }
const COMPUTED log10_e = 0.434294492;
#endif

layout(local_size_x_id = 0) in;

layout(set = 0, binding = 0) readonly buffer Mel { COMPUTED mel[]; };
layout(set = 0, binding = 1) readonly buffer Peaks { COMPUTED peaks[]; };
layout(set = 0, binding = 2) writeonly buffer Y { STORED y[]; };
layout(push_constant) uniform Block {
  uvec2 least, range;  // the bits of an f32 or f64
  uint stretches, in_scope, scope_size, stretch, peaks_in_scope;
};

shared COMPUTED largest[gl_WorkGroupSize.x];

precise COMPUTED log10_of(COMPUTED band) { return logf(maximum(band, real_of(least))) * log10_e; }

precise COMPUTED clamped(COMPUTED band, COMPUTED lowest) {
  return (maximum(log10_of(band), lowest) + COMPUTED(4)) * COMPUTED(0.25);
}

void main() {
  const uint number = group_index(), local = gl_LocalInvocationID.x;
  if (number >= stretches) return;
  const uint scope = number / in_scope, base = scope * scope_size, begin = number % in_scope * stretch;
  const uint end = min(begin + stretch, scope_size);
  const uint first_peak = scope * peaks_in_scope;
  COMPUTED peak = peaks[first_peak];
  for (uint i = local; i < peaks_in_scope; i += gl_WorkGroupSize.x) peak = maximum(peak, peaks[first_peak + i]);
  largest[local] = peak;
  for (uint half_way = gl_WorkGroupSize.x / 2u; half_way > 0u; half_way /= 2u) {
    barrier();
    if (local < half_way) largest[local] = maximum(largest[local], largest[local + half_way]);
  }
  barrier();
  precise const COMPUTED lowest = log10_of(largest[0]) - real_of(range);
  for (uint i = begin + local; i < end; i += gl_WorkGroupSize.x) y[base + i] = store(clamped(mel[base + i], lowest));
}
