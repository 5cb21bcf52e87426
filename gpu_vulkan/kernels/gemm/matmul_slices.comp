#version 450
// The second half of split-K: y = alpha s + beta c, where s is the sum of `slices` products, each over its part of K,
// in their order.
// variants: f32 f16 f16_native bf16
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "gpu_vulkan/glsl/pack.glsl"

#include "gpu_vulkan/glsl/index.glsl"

layout(constant_id = 1) const uint slices = 2;
layout(constant_id = 2) const bool is_packed = false;  // y has a multiple of PACK elements
const uint width = is_packed ? PACK : 1u;

layout(set = 0, binding = 0) readonly buffer Slices { float slice[]; };
layout(set = 0, binding = 0) readonly buffer PackedSlices { vec4 packed_slice[]; };
layout(set = 0, binding = 1) readonly buffer C { STORED c[]; };
layout(set = 0, binding = 2) writeonly buffer Y { STORED y[]; };
layout(set = 0, binding = 2) writeonly buffer PackedY { PACKED packed_y[]; };
layout(push_constant) uniform Block {
  uint count, n, has_c;
  float alpha, beta;
  uint c_strides[2];
};

void main() {
  const uint first = invocation_index() * width;
  if (first >= count) return;
  vec4 terms[slices];
  [[unroll]] for (uint s = 0; s < slices; ++s) {
    const uint at = s * count + first;
    terms[s] = is_packed ? packed_slice[at / 4u] : vec4(slice[at], 0.0, 0.0, 0.0);
  }
  vec4 sum = terms[0];
  [[unroll]] for (uint s = 1; s < slices; ++s) sum += terms[s];
  sum *= alpha;
  PACKED packed;
  [[unroll]] for (uint i = 0; i < width; ++i) {
    const uint at = first + i;
    if (has_c != 0u) sum[i] += beta * load(c[at / n * c_strides[0] + at % n * c_strides[1]]);
    if (is_packed) pack(packed, i, sum[i]);
    else y[at] = store(sum[i]);
  }
  if (is_packed) packed_y[first / width] = packed;
}
