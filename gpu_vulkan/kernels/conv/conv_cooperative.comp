#version 450
// Convolution as a matrix product on cooperative matrices (implicit GEMM), f16 or bf16 with f32 accumulators:
// y = filters x (channels and taps) times (channels and taps) x positions, those of all images one after the other.
//
// A workgroup computes a tile of y; each of its subgroups computes fragments_m x fragments_n accumulators of M x N of
// it. Here with the default constants, 2 x 2 subgroups of 2 x 2 fragments of 16 x 16, fragments_k = 2:
//
//                                 columns = subgroups_n * fragments_n * N   positions
//                                .-----------------+-----------------.
//                                | x_tile, depth x columns, im2col,  |  depth = fragments_k * K: one K step
//                                | in shared memory|                 |
//                                '-----------------+-----------------'
//                      depth       fragments_n * N
//                    .--------.  .--------+--------+-----------------.
//     rows =         | w_tile,|  | acc[0] | acc[1] |                 |
//     subgroups_m *  | rows x |  |  M x N |        |   subgroup 1    |  fragments_m * M
//     fragments_m *  | depth, |  +--------+--------+                 |
//     M              | in     |  | acc[2] | acc[3] |                 |
//                    | shared |  +--------+--------+-----------------+
//     filters        | memory |  |   subgroup 2    |   subgroup 3    |
//                    |        |  |                 |                 |
//                    '--------'  '-----------------+-----------------'
//
// A K step: fetch_filters() and fetch_image() load both tiles into registers while multiply() works on the tiles before
// them; stage() moves them to shared memory. Filters are loaded in pieces of 8 elements: by one 16-byte load where
// VEC4_LOADS says that K is a multiple of 8, else by scalar loads. Elements of images are loaded one by one.
//
// The variant _rte lets the hardware convert to f16 by rounding to nearest even. The others round by hand. Accumulators
// of f16acc16 are f16, and f32 when the bias is added.
// variants: f16 f16_rte f16acc16 bf16
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
#ifdef VARIANT_f16acc16
#define VARIANT_f16 1
#define ACCUMULATOR float16_t
#else
#define ACCUMULATOR float
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
layout(constant_id = 8) const uint fragments_k = 2;
layout(constant_id = 9) const uint invocations = 64;
layout(constant_id = 10) const bool VEC4_LOADS = false;
layout(constant_id = 11) const uint most_taps = 32;
layout(constant_id = 12) const uint TAPS = 0;   // taps per channel; 0: as pushed
layout(constant_id = 13) const uint FIXED_K = 0;  // channels and taps; 0: as pushed
layout(constant_id = 14) const bool k_aligned = false;
layout(constant_id = 15) const bool has_bias = false;
#define EPILOGUE 16

layout(set = 0, binding = 0) readonly buffer X { uint16_t x[]; };
layout(set = 0, binding = 1) readonly buffer W { uint16_t w[]; };
layout(set = 0, binding = 1) readonly buffer WVec4 { uvec4 w_vec4[]; };
layout(set = 0, binding = 2) readonly buffer Bias { uint16_t bias[]; };
layout(set = 0, binding = 3) readonly buffer Residual { uint16_t residual[]; };
layout(set = 0, binding = 4) writeonly buffer Y { STORED y[]; };

const uint rows = subgroups_m * fragments_m * M, columns = subgroups_n * fragments_n * N, depth = fragments_k * K;
uint extent_k();
#define PACK 2u
#define FETCHED uint
#define LOADS_16_BIT
#include "gpu_vulkan/kernels/conv/im2col.glsl"
#include "gpu_vulkan/kernels/conv/epilogue.glsl"
uint extent_k() { return FIXED_K != 0u ? FIXED_K : channels * taps_of_channel(); }

// A line of a tile has a piece of 8 elements more, which keeps shared memory's banks apart. When all is multiplied each
// subgroup has room for a matrix of f32 where the tile of filters was.
const uint w_pieces = depth / 8u, w_pitch = w_pieces + 1u, x_pitch = columns / 8u + 1u, room = M * N / 4u;
const uint w_size = rows * w_pitch, all_room = subgroups_m * subgroups_n * room;
shared uvec4 w_tile[w_size < all_room ? all_room : w_size];
shared uvec4 x_tile[depth * x_pitch];

const uint w_each = (rows * w_pieces + invocations - 1u) / invocations;
const bool w_even = rows * w_pieces % invocations == 0u;
uvec4 fetched_w[w_each];
uint w_start[w_each];  // where the first tile begins: in pieces where VEC4_LOADS, else in elements

#define MATRIX(T) coopmat<T, gl_ScopeSubgroup, M, N, gl_MatrixUseAccumulator>
MATRIX(ACCUMULATOR) acc[fragments_m * fragments_n];

// Filters beyond the last are the last: nobody reads their accumulators.
void prepare_filters(uint block, uint row) {
  [[unroll]] for (uint i = 0; i < w_each; ++i) {
    const uint piece = gl_LocalInvocationID.x + i * invocations, f = min(row + piece / w_pieces, filters - 1u);
    w_start[i] = ((block * filters + f) * extent_k() + piece % w_pieces * 8u) / (VEC4_LOADS ? 8u : 1u);
  }
}

void fetch_filters(uint first) {
  [[unroll]] for (uint i = 0; i < w_each; ++i) {
    const uint piece = gl_LocalInvocationID.x + i * invocations, at_k = first + piece % w_pieces * 8u;
    fetched_w[i] = uvec4(0u);
    if ((w_even || piece < rows * w_pieces) && (k_aligned || at_k < extent_k())) {
      if (VEC4_LOADS) {
        fetched_w[i] = w_vec4[w_start[i] + first / 8u];
      } else {
        uint e[8];
        [[unroll]] for (uint j = 0; j < 8u; ++j)
          e[j] = k_aligned || at_k + j < extent_k() ? uint(w[w_start[i] + first + j]) : 0u;
        fetched_w[i] = joined_halves(e);
      }
    }
  }
}

void stage() {
  [[unroll]] for (uint i = 0; i < w_each; ++i) {
    const uint piece = gl_LocalInvocationID.x + i * invocations;
    if (w_even || piece < rows * w_pieces) w_tile[piece / w_pieces * w_pitch + piece % w_pieces] = fetched_w[i];
  }
  [[unroll]] for (uint l = 0; l < lines_each; ++l)
    [[unroll]] for (uint q = 0; q < packs_each; ++q) {
      const uint word = q * side + first_pack(), e = l * positions_each + q * 2u;
      x_tile[(first_line() + l * lines_at_once) * x_pitch + word / 4u][word % 4u] =
          fetched_x[e] | fetched_x[e + 1u] << 16;
    }
}

void multiply(uint my_row, uint my_column) {
  [[unroll]] for (uint t = 0; t < depth; t += K) {
    coopmat<float16_t, gl_ScopeSubgroup, M, K, gl_MatrixUseA> left[fragments_m];
    [[unroll]] for (uint i = 0; i < fragments_m; ++i)
      coopMatLoad(left[i], w_tile, (my_row + i * M) * w_pitch + t / 8u, w_pitch, gl_CooperativeMatrixLayoutRowMajor);
    [[unroll]] for (uint j = 0; j < fragments_n; ++j) {
      coopmat<float16_t, gl_ScopeSubgroup, K, N, gl_MatrixUseB> right;
      coopMatLoad(right, x_tile, t * x_pitch + (my_column + j * N) / 8u, x_pitch, gl_CooperativeMatrixLayoutRowMajor);
      [[unroll]] for (uint i = 0; i < fragments_m; ++i)
        acc[i * fragments_n + j] = coopMatMulAdd(left[i], right, acc[i * fragments_n + j]);
    }
  }
}

// The matrices of y from filter `row` and position `column` on, some elements of which may be outside, by way of shared
// memory. The loops are few instructions: as many copies of them as there are matrices do not fit in a cache of those.
void write_all(uint block, uint row, uint column) {
  const uint mine = gl_SubgroupID * room, across = gl_SubgroupInvocationID % N, down = gl_SubgroupInvocationID / N;
  for (uint j = 0; j < fragments_n; ++j) {
    const uint s = column + j * N + across, image = s / positions_of_image();
    const uint begin = (image * group + block) * filters * positions_of_image() + s % positions_of_image();
    for (uint i = 0; i < fragments_m; ++i) {
      [[unroll]] for (uint e = 0; e < fragments_m * fragments_n; ++e)
        if (e == i * fragments_n + j)
          coopMatStore(MATRIX(float)(acc[e]), w_tile, mine, N / 4u, gl_CooperativeMatrixLayoutRowMajor);
      subgroupBarrier();
      for (uint r = down; r < M; r += gl_SubgroupSize / N) {
        const uint f = row + i * M + r, at = begin + f * positions_of_image();
        if (f >= filters || s >= batch * positions_of_image()) continue;
        float sum = uintBitsToFloat(w_tile[mine + (r * N + across) / 4u][across % 4u]);
        if (has_bias) sum += load(bias[block * filters + f]);
        y[at] = rounded(finished(sum, at));
      }
      subgroupBarrier();
    }
  }
}

void main() {
  const uint tiles_down = (filters + rows - 1u) / rows;
  const uint tiles_across = (batch * positions_of_image() + columns - 1u) / columns;
  const uint block = group_index() / (tiles_down * tiles_across), tile = group_index() % (tiles_down * tiles_across);
  if (block >= group) return;
  const uint row = tile % tiles_down * rows, column = tile / tiles_down * columns;
  const uint my_row = gl_SubgroupID / subgroups_n * fragments_m * M;
  const uint my_column = gl_SubgroupID % subgroups_n * fragments_n * N;

  prepare_filters(block, row);
  prepare_image(block, column);
  [[unroll]] for (uint e = 0; e < fragments_m * fragments_n; ++e)
    acc[e] = MATRIX(ACCUMULATOR)(0.0);
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
  barrier();
  write_all(block, row + my_row, column + my_column);
}
