#version 450
// variants: f32 f16 bf16
// y = x W^T + bias with packed W and a few rows of x: a workgroup has `across` rows of W, each read once, by `lanes`
// invocations that take pieces of eight weights; the lanes' sums meet in pairs in shared memory.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "gpu_vulkan/glsl/divide.glsl"
#include "gpu_vulkan/glsl/element.glsl"
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/glsl/specials_kept.glsl"

layout(local_size_x_id = 0) in;  // across x lanes
layout(constant_id = 1) const uint across = 4;
layout(constant_id = 2) const uint lanes = 32;
layout(constant_id = 3) const uint vectors = 1;  // as many as x has rows, or more
layout(constant_id = 4) const uint format = 0;
layout(constant_id = 5) const uint scale_type = 9;
layout(constant_id = 6) const bool has_zero_points = false;
layout(constant_id = 7) const bool has_bias = false;
layout(constant_id = 8) const uint weight_dtype = 0;  // f32, f16, bf16
layout(constant_id = 9) const bool is_unrounded = false;

layout(push_constant) uniform Block {
  uint m, n, k;
  uint scales_of_row;
  uvec2 by_block;  // elements that share a scale
};
layout(set = 0, binding = 0) readonly buffer X { STORED x[]; };
layout(set = 0, binding = 1) readonly buffer Codes { uint codes[]; };
layout(set = 0, binding = 2) readonly buffer Scales { uint scales[]; };
layout(set = 0, binding = 3) readonly buffer ZeroPoints { uint zero_points[]; };
layout(set = 0, binding = 4) readonly buffer Bias { STORED bias[]; };
layout(set = 0, binding = 5) writeonly buffer Y { STORED y[]; };
layout(set = 0, binding = 5) writeonly buffer Sums { float y_unrounded[]; };

#include "gpu_vulkan/glsl/packed/eight.glsl"

shared float partial[across * lanes * vectors];

float rounded_weight(float w) {
  if (weight_dtype == 1u) return float_from_f16(f16_from_float(w));
  return weight_dtype == 2u ? float_from_bf16(bf16_from_float(w)) : w;
}

float weight(uint row, uint at_k) {
  uint group = 0;
  if (has_real_scales()) group = row * scales_of_row + divide(at_k, by_block);
  return weight_at(row * k + at_k, group);
}

void main() {
  const uint me = gl_LocalInvocationID.x, lane = me % lanes, mine = me / lanes;
  const uint begin = group_index() * across, row = begin + mine;
  float sums[vectors];
  [[unroll]] for (uint v = 0; v < vectors; ++v) sums[v] = 0.0;
  if (row < n)
    for (uint piece = lane; piece < k / 8u; piece += lanes) {
      Eight eight;
      if (has_eight()) eight = eight_at(row * k + 8u * piece);
      [[unroll]] for (uint i = 0; i < 8u; ++i) {
        const float w = rounded_weight(has_eight() ? of_eight(eight, i) : weight(row, 8u * piece + i));
        [[unroll]] for (uint v = 0; v < vectors; ++v) sums[v] += load(x[min(v, m - 1u) * k + 8u * piece + i]) * w;
      }
    }
  [[unroll]] for (uint v = 0; v < vectors; ++v) partial[(mine * vectors + v) * lanes + lane] = sums[v];
  barrier();
  for (uint half_of = lanes / 2u; half_of > 0u; half_of /= 2u) {
    if (lane < half_of)
      [[unroll]] for (uint v = 0; v < vectors; ++v) {
        const uint at = (mine * vectors + v) * lanes + lane;
        partial[at] += partial[at + half_of];
      }
    barrier();
  }
  if (row >= n) return;
  for (uint v = lane; v < m; v += lanes) {
    const float total = partial[(mine * vectors + v) * lanes], sum = has_bias ? total + load(bias[row]) : total;
    if (is_unrounded) y_unrounded[v * n + row] = sum;
    else y[v * n + row] = store(sum);
  }
}
