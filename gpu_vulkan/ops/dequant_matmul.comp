#version 450
// variants: f32 f16 bf16 f64
// y = x W^T + bias with packed W. A workgroup computes a tile of y: it stages `depth` columns of its rows of x and of
// W, decoded, in shared memory, zeros where they reach over the edge, and each invocation sums rows_each x columns_each
// elements, in chunks of `depth` terms.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "gpu_vulkan/glsl/divide.glsl"
#include "gpu_vulkan/glsl/element.glsl"
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/glsl/specials_kept.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint rows = 64;
layout(constant_id = 2) const uint columns = 64;
layout(constant_id = 3) const uint depth = 16;
layout(constant_id = 4) const uint rows_each = 4;
layout(constant_id = 5) const uint columns_each = 4;
layout(constant_id = 6) const uint format = 0;
layout(constant_id = 7) const uint scale_type = 9;
layout(constant_id = 8) const bool has_zero_points = false;
layout(constant_id = 9) const bool has_bias = false;
layout(constant_id = 10) const uint weight_dtype = 0;  // f32, f16, bf16
layout(constant_id = 11) const bool is_unrounded = false;
layout(constant_id = 12) const uint block_bytes = 18;

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
layout(set = 0, binding = 5) writeonly buffer Sums { COMPUTED y_unrounded[]; };

#include "gpu_vulkan/glsl/packed/weight.glsl"

const uint x_pitch = rows + 1, w_pitch = columns + 1;  // the odd element keeps shared memory's banks apart
shared COMPUTED x_tile[depth * x_pitch];
shared COMPUTED w_tile[depth * w_pitch];

float rounded_weight(float w) {
  if (weight_dtype == 1u) return float_from_f16(f16_from_float(w));
  return weight_dtype == 2u ? float_from_bf16(bf16_from_float(w)) : w;
}

float weight(uint row, uint at_k) {
  uint group = 0;
  if (has_real_scales()) group = row * scales_of_row + divide(at_k, by_block);
  return rounded_weight(weight_at(row * k + at_k, group));
}

void stage(uint row, uint column, uint at_k) {
  for (uint i = gl_LocalInvocationID.x; i < rows * depth; i += gl_WorkGroupSize.x) {
    const uint r = i / depth, t = i % depth;
    const bool in_bounds = row + r < m && at_k + t < k;
    x_tile[t * x_pitch + r] = in_bounds ? load(x[(row + r) * k + at_k + t]) : COMPUTED(0);
  }
  for (uint i = gl_LocalInvocationID.x; i < columns * depth; i += gl_WorkGroupSize.x) {
    const uint c = i / depth, t = i % depth;
    COMPUTED w = COMPUTED(0);
    if (column + c < n && at_k + t < k) w = COMPUTED(weight(column + c, at_k + t));
    w_tile[t * w_pitch + c] = w;
  }
}

const uint across = columns / columns_each, down = rows / rows_each, each = rows_each * columns_each;

void main() {
  const uint tiles_across = (n + columns - 1) / columns, tile = group_index();
  const uint row = tile / tiles_across * rows, column = tile % tiles_across * columns;
  const uint my_row = gl_LocalInvocationID.x / across, my_column = gl_LocalInvocationID.x % across;
  if (row >= m) return;

  COMPUTED sums[each], chunk[each];
  [[unroll]] for (uint e = 0; e < each; ++e) sums[e] = COMPUTED(0);
  for (uint at_k = 0; at_k < k; at_k += depth) {
    stage(row, column, at_k);
    barrier();
    [[unroll]] for (uint e = 0; e < each; ++e) chunk[e] = COMPUTED(0);
    for (uint t = 0; t < depth; ++t) {
      COMPUTED left[rows_each], right[columns_each];
      [[unroll]] for (uint i = 0; i < rows_each; ++i) left[i] = x_tile[t * x_pitch + my_row + i * down];
      [[unroll]] for (uint j = 0; j < columns_each; ++j) right[j] = w_tile[t * w_pitch + my_column + j * across];
      [[unroll]] for (uint e = 0; e < each; ++e) chunk[e] += left[e / columns_each] * right[e % columns_each];
    }
    [[unroll]] for (uint e = 0; e < each; ++e) sums[e] += chunk[e];
    barrier();
  }
  [[unroll]] for (uint e = 0; e < each; ++e) {
    const uint r = row + my_row + e / columns_each * down, c = column + my_column + e % columns_each * across;
    if (r >= m || c >= n) continue;
    const COMPUTED sum = has_bias ? sums[e] + load(bias[c]) : sums[e];
    if (is_unrounded) y_unrounded[r * n + c] = sum;
    else y[r * n + c] = store(sum);
  }
}
