#version 450
// Convolution with stride 1 in up to two dimensions on cooperative matrices, f16 or bf16 with f32 accumulators. All
// taps read one halo tile of the images in shared memory.
//
// Positions of all images are numbered along lines of `pitch` elements, `height` of them an image, so that the zeros
// behind a line are also those before the next, and a tap is the same distance away at every position.
//
// A workgroup computes rows filters x columns positions of y, in a row; each of its subgroups computes
// fragments_m x fragments_n accumulators of M x N of them. Here with 2 x 2 subgroups of 2 x 2 fragments:
//
//                                  columns + reach = positions_met
//                                .------------------------------------+------------.
//                                | halo_tile, block x positions_met,  |    halo    |  block channels at a time
//                                | in shared memory                   |            |
//                                '------------------------------------+------------'
//                                  |<- tap_distance[tap] ->|<--- columns: what this tap reads --->|
//
//       w_tile, in shared memory  columns = subgroups_n * fragments_n * N
//        .---------.             .-----------------+------------------.
//      .---------. |             | acc[0] | acc[1] |                  |
//    .---------. | |             |  M x N |        |    subgroup 1    |  fragments_m * M
//    | rows x  | | |             +--------+--------+                  |
//    | block   | | |             | acc[2] | acc[3] |                  |
//    | of one  | | |             +--------+--------+------------------+
//    | tap     | |-'             |   subgroup 2    |    subgroup 3    |
//    |         |-'               |                 |                  |
//    '---------' taps_at_once    '-----------------+------------------'
//
// For each block of channels the halo tile is staged once, then the filters of taps_at_once taps at a time; multiply()
// goes through these taps, and for each through block by K. The filters come in the order of blocks of channels, then
// of taps (conv_pack.comp). What is next is loaded into registers meanwhile.
//
// The variant _rte lets the hardware convert to f16 by rounding to nearest even. The others round by hand.
// variants: f16 f16_rte bf16
// bfloat16: bf16
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#if defined(VARIANT_f16_rte)
#extension GL_EXT_spirv_intrinsics : require
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4467], 4462, 16);  // RoundingModeRTE
#endif
#pragma use_vulkan_memory_model
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/glsl/stored16.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint M = 16;
layout(constant_id = 2) const uint N = 16;
layout(constant_id = 3) const uint K = 16;
layout(constant_id = 4) const uint subgroups_m = 2;
layout(constant_id = 5) const uint subgroups_n = 2;
layout(constant_id = 6) const uint fragments_m = 2;
layout(constant_id = 7) const uint fragments_n = 2;
layout(constant_id = 8) const uint block = 16;  // channels; a multiple of K and of 8
layout(constant_id = 9) const uint taps_at_once = 3;
layout(constant_id = 10) const uint invocations = 64;
layout(constant_id = 11) const uint TAPS = 9;     // a multiple of taps_at_once
layout(constant_id = 12) const uint reach = 116;  // how far the last tap is from the first
layout(constant_id = 13) const bool k_aligned = false;  // channels are a multiple of `block`
layout(constant_id = 14) const bool has_bias = false;
#define EPILOGUE 15

layout(set = 0, binding = 0) readonly buffer X { uint16_t x[]; };
layout(set = 0, binding = 1) readonly buffer W { uvec4 w[]; };  // groups, blocks of channels, taps, filters, channels
layout(set = 0, binding = 2) readonly buffer Bias { uint16_t bias[]; };
layout(set = 0, binding = 3) readonly buffer Residual { uint16_t residual[]; };
layout(set = 0, binding = 4) writeonly buffer Y { STORED y[]; };

// w_: from one to the next in the filters, in pieces of 8 elements
#define PUSHED uint batch, group, channels, filters, pitch, height, w_filter, w_tap, w_step, w_group;
#include "gpu_vulkan/kernels/conv/convolution.glsl"
#include "gpu_vulkan/kernels/conv/epilogue.glsl"

const uint rows = subgroups_m * fragments_m * M, columns = subgroups_n * fragments_n * N;
const uint positions_met = columns + reach;
const uint pieces = block / 8u, line = pieces + 1u;  // the piece more keeps shared memory's banks apart
const uint parts = TAPS / taps_at_once;
// When all is multiplied each subgroup has room for a matrix of f32 where the filters were.
const uint room = M * N / 4u, w_size = taps_at_once * rows * line, all_room = subgroups_m * subgroups_n * room;
shared uvec4 w_tile[w_size < all_room ? all_room : w_size];
shared uvec4 halo_tile[positions_met * line];
shared uint tap_distance[TAPS];

const uint w_pieces = taps_at_once * rows * pieces, w_each = (w_pieces + invocations - 1u) / invocations;
const uint x_pieces = positions_met * pieces, x_each = (x_pieces + invocations - 1u) / invocations;
uvec4 fetched_w[w_each];
uint fetched_x[x_each * 8u], w_start[w_each], x_start[x_each];  // x_start: `nowhere` outside the images
const uint nowhere = 0xFFFFFFFFu;

coopmat<float, gl_ScopeSubgroup, M, N, gl_MatrixUseAccumulator> acc[fragments_m * fragments_n];

void prepare(uint part_of_group, uint row, uint column) {
  for (uint tap = gl_LocalInvocationID.x; tap < TAPS; tap += invocations)
    tap_distance[tap] = tap / kernel[2] * dilation[1] * pitch + tap % kernel[2] * dilation[2];
  [[unroll]] for (uint i = 0; i < w_each; ++i) {
    const uint piece = gl_LocalInvocationID.x + i * invocations, f = min(row + piece / pieces % rows, filters - 1u);
    w_start[i] = part_of_group * w_group + piece / (pieces * rows) * w_tap + f * w_filter + piece % pieces;
  }
  [[unroll]] for (uint i = 0; i < x_each; ++i) {
    const uint piece = gl_LocalInvocationID.x + i * invocations;
    const int at = int(column + piece % positions_met) - int(pad[1] * pitch + pad[2]);
    const uint image = uint(at) / (height * pitch), r = uint(at) / pitch % height, c = uint(at) % pitch;
    const uint plane = (image * group + part_of_group) * channels + piece / positions_met * 8u;
    x_start[i] = at >= 0 && image < batch && r < extent[1] && c < extent[2] && piece < x_pieces
                     ? (plane * extent[1] + r) * extent[2] + c
                     : nowhere;
  }
}

void fetch_filters(uint step) {
  [[unroll]] for (uint i = 0; i < w_each; ++i)
    fetched_w[i] = w_pieces % invocations == 0u || gl_LocalInvocationID.x + i * invocations < w_pieces
                       ? w[w_start[i] + step * w_step]
                       : uvec4(0u);
}

// Elements that do not exist are read as the first one, and not used: that takes less time than branches.
void fetch_halo(uint first) {
  const uint volume = extent[1] * extent[2];
  [[unroll]] for (uint i = 0; i < x_each; ++i) {
    const uint channel = first + (gl_LocalInvocationID.x + i * invocations) / positions_met * 8u;
    [[unroll]] for (uint j = 0; j < 8u; ++j) {
      const bool exists = x_start[i] != nowhere && (k_aligned || channel + j < channels);
      const uint value = uint(x[exists ? x_start[i] + (first + j) * volume : 0u]);
      fetched_x[i * 8u + j] = exists ? value : 0u;
    }
  }
}

void stage_filters() {
  [[unroll]] for (uint i = 0; i < w_each; ++i) {
    const uint piece = gl_LocalInvocationID.x + i * invocations;
    if (w_pieces % invocations == 0u || piece < w_pieces)
      w_tile[piece / pieces * line + piece % pieces] = fetched_w[i];
  }
}

void stage_halo() {
  [[unroll]] for (uint i = 0; i < x_each; ++i) {
    const uint piece = gl_LocalInvocationID.x + i * invocations;
    uint e[8];
    [[unroll]] for (uint j = 0; j < 8u; ++j) e[j] = fetched_x[i * 8u + j];
    if (piece < x_pieces) halo_tile[piece % positions_met * line + piece / positions_met] = joined_halves(e);
  }
}

// Adds the products of the staged taps, of which `tap` is the first.
void multiply(uint tap, uint my_row, uint my_column) {
  [[unroll]] for (uint g = 0; g < taps_at_once; ++g) {
    const uint first = my_column + tap_distance[tap + g];
    [[unroll]] for (uint t = 0; t < block; t += K) {
      coopmat<float16_t, gl_ScopeSubgroup, M, K, gl_MatrixUseA> left[fragments_m];
      [[unroll]] for (uint i = 0; i < fragments_m; ++i)
        coopMatLoad(left[i], w_tile, (g * rows + my_row + i * M) * line + t / 8u, line,
                    gl_CooperativeMatrixLayoutRowMajor);
      [[unroll]] for (uint j = 0; j < fragments_n; ++j) {
        coopmat<float16_t, gl_ScopeSubgroup, K, N, gl_MatrixUseB> right;
        coopMatLoad(right, halo_tile, (first + j * N) * line + t / 8u, line, gl_CooperativeMatrixLayoutColumnMajor);
        [[unroll]] for (uint i = 0; i < fragments_m; ++i)
          acc[i * fragments_n + j] = coopMatMulAdd(left[i], right, acc[i * fragments_n + j]);
      }
    }
  }
}

// The matrices of y from filter `row` and position `column` on, some elements of which may be outside, by way of shared
// memory. The loops are few instructions: as many copies of them as there are matrices do not fit in a cache of those.
void write_all(uint part_of_group, uint row, uint column) {
  const uint mine = gl_SubgroupID * room, across = gl_SubgroupInvocationID % N, down = gl_SubgroupInvocationID / N;
  for (uint j = 0; j < fragments_n; ++j) {
    const uint s = column + j * N + across, image = s / (height * pitch), r = s / pitch % height, c = s % pitch;
    const bool exists = image < batch && r < positions[1] && c < positions[2];
    const uint begin = (image * group + part_of_group) * filters * positions_of_image() + r * positions[2] + c;
    for (uint i = 0; i < fragments_m; ++i) {
      [[unroll]] for (uint e = 0; e < fragments_m * fragments_n; ++e)
        if (e == i * fragments_n + j) coopMatStore(acc[e], w_tile, mine, N / 4u, gl_CooperativeMatrixLayoutRowMajor);
      subgroupBarrier();
      for (uint k = down; k < M; k += gl_SubgroupSize / N) {
        const uint f = row + i * M + k, at = begin + f * positions_of_image();
        if (f >= filters || !exists) continue;
        float sum = uintBitsToFloat(w_tile[mine + (k * N + across) / 4u][across % 4u]);
        if (has_bias) sum += load(bias[part_of_group * filters + f]);
        y[at] = rounded(finished(sum, at));
      }
      subgroupBarrier();
    }
  }
}

void main() {
  const uint all_positions = ((batch - 1u) * height + positions[1] - 1u) * pitch + positions[2];
  const uint tiles_down = (filters + rows - 1u) / rows, tiles_across = (all_positions + columns - 1u) / columns;
  const uint part_of_group = group_index() / (tiles_down * tiles_across);
  if (part_of_group >= group) return;
  const uint tile = group_index() % (tiles_down * tiles_across);
  const uint row = tile % tiles_down * rows, column = tile / tiles_down * columns;
  const uint my_row = gl_SubgroupID / subgroups_n * fragments_m * M;
  const uint my_column = gl_SubgroupID % subgroups_n * fragments_n * N;

  prepare(part_of_group, row, column);
  [[unroll]] for (uint e = 0; e < fragments_m * fragments_n; ++e)
    acc[e] = coopmat<float, gl_ScopeSubgroup, M, N, gl_MatrixUseAccumulator>(0.0);
  fetch_filters(0u);
  fetch_halo(0u);
  stage_filters();
  stage_halo();
  barrier();
  uint step = 0u;
  for (uint first = 0u; first < channels; first += block) {
    const bool is_last = first + block >= channels;
    for (uint part = 0u; part < parts; ++part) {
      const bool more = !is_last || part + 1u < parts;
      ++step;
      if (more) fetch_filters(step);
      if (part == 0u && !is_last) fetch_halo(first + block);
      multiply(part * taps_at_once, my_row, my_column);
      barrier();
      if (more) stage_filters();
      if (part + 1u == parts && !is_last) stage_halo();
      barrier();
    }
  }
  write_all(part_of_group, row + my_row, column + my_column);
}
