#version 450
// Convolution as a matrix product: filters x (channels and taps) by (channels and taps) x positions, for each image and
// group. A workgroup computes a tile of y; it stages the filters and what they meet in shared memory, zeros outside the
// image, and each invocation sums rows_each x columns_each elements, in chunks of 256 terms.
// variants: f32 f16 bf16 f64
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "gpu_vulkan/kernels/conv/convolution.glsl"
#include "gpu_vulkan/glsl/element.glsl"
#include "gpu_vulkan/glsl/index.glsl"

// Its invocations are a multiple of `columns`.
#include "gpu_vulkan/kernels/common/element_constants.glsl"
layout(constant_id = 6) const bool has_bias = false;

layout(set = 0, binding = 0) readonly buffer X { STORED x[]; };
layout(set = 0, binding = 1) readonly buffer W { STORED w[]; };
layout(set = 0, binding = 2) readonly buffer Bias { STORED bias[]; };
layout(set = 0, binding = 3) readonly buffer Residual { STORED residual[]; };
layout(set = 0, binding = 4) writeonly buffer Y { STORED y[]; };
#define EPILOGUE 7
#include "gpu_vulkan/kernels/conv/epilogue.glsl"

const uint w_line = rows + 1, x_line = columns + 1;  // the odd element keeps shared memory's banks apart
shared COMPUTED w_tile[depth * w_line];
shared COMPUTED x_tile[depth * x_line];

const uint across = columns / columns_each, down = rows / rows_each;

void stage(uint image, uint block, uint row, uint column, uint term, uint terms) {
  for (uint i = gl_LocalInvocationID.x; i < rows * depth; i += gl_WorkGroupSize.x) {
    const uint r = row + i / depth, t = term + i % depth;
    COMPUTED weight = COMPUTED(0);
    if (r < filters && t < terms) weight = load(w[(block * filters + r) * terms + t]);
    w_tile[i % depth * w_line + i / depth] = weight;
  }
  const uint o = column + gl_LocalInvocationID.x % columns, first_plane = (image * group + block) * channels;
  const bool exists = o < positions_of_image();
  const ivec3 corner = corner_of(o);
  for (uint i = gl_LocalInvocationID.x / columns; i < depth; i += gl_WorkGroupSize.x / columns) {
    const uint t = term + i;
    const ivec3 at = corner + tap_of(t);
    COMPUTED met = COMPUTED(0);
    if (exists && t < terms && is_inside(at)) met = load(x[position_in_x(first_plane + t / taps(), at)]);
    x_tile[i * x_line + gl_LocalInvocationID.x % columns] = met;
  }
}

void main() {
  const uint tiles_across = (positions_of_image() + columns - 1) / columns;
  const uint tiles = (filters + rows - 1) / rows * tiles_across;
  const uint index = group_index() / tiles, tile = group_index() % tiles;
  if (index >= batch * group) return;
  const uint image = index / group, block = index % group, terms = channels * taps();
  const uint row = tile / tiles_across * rows, column = tile % tiles_across * columns;
  const uint my_row = gl_LocalInvocationID.x / across, my_column = gl_LocalInvocationID.x % across;

  COMPUTED sums[rows_each * columns_each], chunk[rows_each * columns_each];
  [[unroll]] for (uint e = 0; e < rows_each * columns_each; ++e) sums[e] = chunk[e] = COMPUTED(0);
  for (uint term = 0; term < terms; term += depth) {
    stage(image, block, row, column, term, terms);
    barrier();
    for (uint t = 0; t < depth; ++t) {
      COMPUTED left[rows_each], right[columns_each];
      [[unroll]] for (uint i = 0; i < rows_each; ++i) left[i] = w_tile[t * w_line + my_row + i * down];
      [[unroll]] for (uint j = 0; j < columns_each; ++j) right[j] = x_tile[t * x_line + my_column + j * across];
      [[unroll]] for (uint i = 0; i < rows_each; ++i)
        [[unroll]] for (uint j = 0; j < columns_each; ++j) chunk[i * columns_each + j] += left[i] * right[j];
    }
    barrier();
    if ((term / depth + 1) % (256 / depth) == 0 || term + depth >= terms) {
      [[unroll]] for (uint e = 0; e < rows_each * columns_each; ++e) sums[e] += chunk[e], chunk[e] = COMPUTED(0);
    }
  }
  [[unroll]] for (uint i = 0; i < rows_each; ++i)
    [[unroll]] for (uint j = 0; j < columns_each; ++j) {
      const uint r = row + my_row + i * down, o = column + my_column + j * across;
      if (r >= filters || o >= positions_of_image()) continue;
      COMPUTED sum = sums[i * columns_each + j];
      if (has_bias) sum += load(bias[block * filters + r]);
      const uint at = ((image * group + block) * filters + r) * positions_of_image() + o;
      y[at] = store(finished(sum, at));
    }
}
