#version 450
// Convolution of f32 as a matrix product (implicit GEMM) by tiles of registers: y = filters x (channels and taps) times
// (channels and taps) x positions, those of all images one after the other. The tiles are those of matmul_wide.comp:
// w_tile (filters) in the place of a_tile, x_tile (im2col) in the place of b_tile; each invocation computes
// groups_m x groups_n blocks of 4 x 4 elements of y, and the next tiles are loaded into registers meanwhile. Filters
// are loaded 16 bytes at a time where VEC4_LOADS says that K is a multiple of 4; elements of images one by one.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "gpu_vulkan/glsl/index.glsl"

#define COMPUTED float
#define load(x) x

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint rows = 128;
layout(constant_id = 2) const uint columns = 128;
layout(constant_id = 3) const uint depth = 16;  // a multiple of 4
layout(constant_id = 4) const uint groups_m = 2;
layout(constant_id = 5) const uint groups_n = 4;
layout(constant_id = 6) const bool VEC4_LOADS = false;
layout(constant_id = 7) const uint most_taps = 32;
layout(constant_id = 8) const uint TAPS = 0;   // taps per channel; 0: as pushed
layout(constant_id = 9) const uint FIXED_K = 0;  // channels and taps; 0: as pushed
layout(constant_id = 10) const bool k_aligned = false;
layout(constant_id = 11) const bool has_bias = false;
#define EPILOGUE 12

layout(set = 0, binding = 0) readonly buffer X { float x[]; };
layout(set = 0, binding = 1) readonly buffer W { float w[]; };
layout(set = 0, binding = 1) readonly buffer WVec4 { vec4 w_vec4[]; };
layout(set = 0, binding = 2) readonly buffer Bias { float bias[]; };
layout(set = 0, binding = 3) readonly buffer Residual { float residual[]; };
layout(set = 0, binding = 4) writeonly buffer Y { float y[]; };
layout(set = 0, binding = 4) writeonly buffer YVec4 { vec4 y_vec4[]; };

const uint across = columns / (4u * groups_n), down = rows / (4u * groups_m), invocations = across * down;
uint extent_k();
#define PACK 1u
#define FETCHED float
#include "gpu_vulkan/kernels/conv/im2col.glsl"
#include "gpu_vulkan/kernels/conv/epilogue.glsl"
uint extent_k() { return FIXED_K != 0u ? FIXED_K : channels * taps_of_channel(); }

// A line of a tile is one position along K; 4 elements more keep shared memory's banks apart.
const uint w_pitch = rows + 4u, x_pitch = columns + 4u;
shared vec4 w_tile[depth * w_pitch / 4];
shared vec4 x_tile[depth * x_pitch / 4];

const uint w_pieces = depth / 4u, w_each = rows * w_pieces / invocations;
vec4 fetched_w[w_each];
uint w_start[w_each];  // where the first tile begins: in pieces where VEC4_LOADS, else in elements

// Filters beyond the last are the last: nobody reads their accumulators.
void prepare_filters(uint block, uint row) {
  [[unroll]] for (uint i = 0; i < w_each; ++i) {
    const uint piece = gl_LocalInvocationID.x + i * invocations, f = min(row + piece / w_pieces, filters - 1u);
    w_start[i] = ((block * filters + f) * extent_k() + piece % w_pieces * 4u) / (VEC4_LOADS ? 4u : 1u);
  }
}

void fetch_filters(uint first) {
  [[unroll]] for (uint i = 0; i < w_each; ++i) {
    const uint at_k = first + (gl_LocalInvocationID.x + i * invocations) % w_pieces * 4u;
    fetched_w[i] = vec4(0.0);
    if (VEC4_LOADS) {
      if (k_aligned || at_k < extent_k()) fetched_w[i] = w_vec4[w_start[i] + first / 4u];
    } else {
      [[unroll]] for (uint j = 0; j < 4u; ++j)
        if (k_aligned || at_k + j < extent_k()) fetched_w[i][j] = w[w_start[i] + first + j];
    }
  }
}

void stage() {
  [[unroll]] for (uint i = 0; i < w_each; ++i) {
    const uint piece = gl_LocalInvocationID.x + i * invocations, line = piece / w_pieces, along = piece % w_pieces * 4u;
    [[unroll]] for (uint j = 0; j < 4u; ++j)
      w_tile[((along + j) * w_pitch + line) / 4u][line % 4u] = fetched_w[i][j];
  }
  [[unroll]] for (uint l = 0; l < lines_each; ++l)
    [[unroll]] for (uint e = 0; e < positions_each; ++e) {
      const uint at = e * side + first_pack();
      x_tile[((first_line() + l * lines_at_once) * x_pitch + at) / 4u][at % 4u] = fetched_x[l * positions_each + e];
    }
}

vec4 acc[groups_m * 4u * groups_n];

void multiply(uint my_row, uint my_column) {
  [[unroll]] for (uint t = 0; t < depth; ++t) {
    vec4 left[groups_m], right[groups_n];
    [[unroll]] for (uint i = 0; i < groups_m; ++i) left[i] = w_tile[(t * w_pitch + i * 4u * down + my_row) / 4u];
    [[unroll]] for (uint j = 0; j < groups_n; ++j) right[j] = x_tile[(t * x_pitch + j * 4u * across + my_column) / 4u];
    [[unroll]] for (uint i = 0; i < groups_m; ++i)
      [[unroll]] for (uint r = 0; r < 4u; ++r)
        [[unroll]] for (uint j = 0; j < groups_n; ++j) {
          const uint e = (i * 4u + r) * groups_n + j;
          acc[e] = fma(vec4(left[i][r]), right[j], acc[e]);
        }
  }
}

// Where position s of any image lies in y, of the first filter.
uint begin_in_y(uint block, uint s) {
  return (s / positions_of_image() * group + block) * filters * positions_of_image() + s % positions_of_image();
}

void main() {
  const uint tiles_down = (filters + rows - 1u) / rows, all_positions = batch * positions_of_image();
  const uint tiles_across = (all_positions + columns - 1u) / columns;
  const uint block = group_index() / (tiles_down * tiles_across), tile = group_index() % (tiles_down * tiles_across);
  if (block >= group) return;
  const uint row = tile % tiles_down * rows, column = tile / tiles_down * columns;
  const uint my_row = gl_LocalInvocationID.x / across * 4u, my_column = gl_LocalInvocationID.x % across * 4u;

  prepare_filters(block, row);
  prepare_image(block, column);
  [[unroll]] for (uint e = 0; e < groups_m * 4u * groups_n; ++e) acc[e] = vec4(0.0);
  barrier();
  fetch_filters(0u);
  fetch_image(0u);
  stage();
  barrier();
  for (uint first = depth; first < extent_k(); first += depth) {
    fetch_filters(first);
    fetch_image(first);
    multiply(my_row, my_column);
    barrier();
    stage();
    barrier();
  }
  multiply(my_row, my_column);

  [[unroll]] for (uint j = 0; j < groups_n; ++j) {
    const uint s = column + j * 4u * across + my_column;
    uint begin[4];
    [[unroll]] for (uint e = 0; e < 4u; ++e) begin[e] = begin_in_y(block, s + e);
    [[unroll]] for (uint i = 0; i < groups_m; ++i)
      [[unroll]] for (uint q = 0; q < 4u; ++q) {
        const uint f = row + i * 4u * down + my_row + q, of_filter = f * positions_of_image();
        if (f >= filters || s >= all_positions) continue;
        vec4 sum = acc[(i * 4u + q) * groups_n + j];
        if (has_bias) sum += bias[block * filters + f];
        [[unroll]] for (uint e = 0; e < 4u; ++e)
          if (s + e < all_positions) sum[e] = finished(sum[e], begin[e] + of_filter);
        if (positions_of_image() % 4u == 0u) y_vec4[(begin[0] + of_filter) / 4u] = sum;
        else [[unroll]] for (uint e = 0; e < 4u; ++e) if (s + e < all_positions) y[begin[e] + of_filter] = sum[e];
      }
  }
}
