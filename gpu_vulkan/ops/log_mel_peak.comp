#version 450
// The largest band of a stretch of those that share a maximum: a NaN where one is there.
// variants: f32 f64
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/glsl/arithmetic.glsl"
#include "gpu_vulkan/glsl/element.glsl"
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/glsl/specials_kept.glsl"

layout(local_size_x_id = 0) in;

layout(set = 0, binding = 0) readonly buffer Mel { STORED mel[]; };
layout(set = 0, binding = 1) writeonly buffer Peaks { STORED peaks[]; };
layout(push_constant) uniform Block { uint stretches, in_scope, scope_size, stretch; };

shared COMPUTED largest[gl_WorkGroupSize.x];

void main() {
  const uint number = group_index(), local = gl_LocalInvocationID.x;
  if (number >= stretches) return;
  const uint base = number / in_scope * scope_size, begin = number % in_scope * stretch;
  const uint end = min(begin + stretch, scope_size);
  COMPUTED peak = mel[base + begin];
  for (uint i = begin + local; i < end; i += gl_WorkGroupSize.x) peak = maximum(peak, mel[base + i]);
  largest[local] = peak;
  for (uint half_way = gl_WorkGroupSize.x / 2u; half_way > 0u; half_way /= 2u) {
    barrier();
    if (local < half_way) largest[local] = maximum(largest[local], largest[local + half_way]);
  }
  if (local == 0u) peaks[number] = largest[0];
}
