#version 450
// Matrix product on cooperative matrices: y = alpha a b + beta c for f16 or bf16 operands with f32 accumulators.
//
// A workgroup computes a tile of y; each of its subgroups computes fragments_m x fragments_n accumulators of M x N of
// it. Here with the default constants, 2 x 2 subgroups of 2 x 2 fragments of 16 x 16, fragments_k = 2:
//
//                                 columns = subgroups_n * fragments_n * N
//                                .-----------------+-----------------.
//                                | b_tile, depth x columns,          |  depth = fragments_k * K: one K step
//                                | in shared memory|                 |
//                                '-----------------+-----------------'
//                      depth       fragments_n * N
//                    .--------.  .--------+--------+-----------------.
//                    | a_tile,|  | acc[0] | acc[1] |                 |
//                    | rows x |  |  M x N |        |   subgroup 1    |  fragments_m * M
//     rows =         | depth, |  +--------+--------+                 |
//     subgroups_m *  | in     |  | acc[2] | acc[3] |                 |
//     fragments_m *  | shared |  +--------+--------+-----------------+
//     M              | memory |  |   subgroup 2    |   subgroup 3    |
//                    |        |  |                 |                 |
//                    '--------'  '-----------------+-----------------'
//
// A K step: fetch() loads both tiles into registers while multiply() works on the tiles before them; stage() moves them
// to shared memory, zeros where they reach beyond K. multiply() goes through depth by K: fragments_m fragments of a
// (M x K), and for each fragment of b (K x N) fragments_m multiply-adds.
//
// Operands are loaded in pieces of 8 neighbouring elements: by one 16-byte load where VEC4_LOADS says that every row
// and matrix begins at a multiple of 8 elements and ends at one, else by scalar loads.
//
// Variants:
//   _fixed    K, lda, ldb and the flags are specialization constants: large products take a sixth less time.
//   _rte      The hardware converts to f16 by rounding to nearest even, so that accumulators are stored as they are
//             where all of the tile is in bounds, as f16_f32 does. The others round by hand.
//   f16acc16  Accumulators are f16. Those that are multiplied or added to are so in f32, one by one.
// variants: f16 f16_rte f16_f32 f16_rte_fixed f16_f32_fixed bf16 bf16_f32 bf16_fixed bf16_f32_fixed
// variants: f16acc16 f16acc16_fixed f16acc16_f32 f16acc16_f32_fixed
// bfloat16: bf16 bf16_f32 bf16_fixed bf16_f32_fixed
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#if defined(VARIANT_bf16) || defined(VARIANT_bf16_fixed) || defined(VARIANT_bf16_f32) || defined(VARIANT_bf16_f32_fixed)
#define BFLOAT16
#endif
#if defined(VARIANT_f16_rte_fixed) || defined(VARIANT_f16_f32_fixed) || defined(VARIANT_bf16_fixed) || \
    defined(VARIANT_bf16_f32_fixed) || defined(VARIANT_f16acc16_fixed) || defined(VARIANT_f16acc16_f32_fixed)
#define FIXED
#endif
#if defined(VARIANT_f16_f32) || defined(VARIANT_f16_f32_fixed) || defined(VARIANT_bf16_f32) || \
    defined(VARIANT_bf16_f32_fixed) || defined(VARIANT_f16acc16_f32) || defined(VARIANT_f16acc16_f32_fixed)
#define F32_RESULT
#elif defined(VARIANT_f16_rte) || defined(VARIANT_f16_rte_fixed)
#define HW_RTE
#extension GL_EXT_spirv_intrinsics : require
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4467], 4462, 16);  // RoundingModeRTE
#endif
#if defined(VARIANT_f16acc16) || defined(VARIANT_f16acc16_fixed) || defined(VARIANT_f16acc16_f32) || \
    defined(VARIANT_f16acc16_f32_fixed)
#define ACCUMULATOR float16_t
#if defined(VARIANT_f16acc16) || defined(VARIANT_f16acc16_fixed)
#define STORES_SUMS
#endif
#else
#define ACCUMULATOR float
#define CAN_ADD
#endif
#pragma use_vulkan_memory_model
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/glsl/round16.glsl"

#ifdef BFLOAT16
float float_from(uint bits) { return float_from_bf16(bits); }
uint bits_from(float x) { return bf16_from_float(x); }
#else
float float_from(uint bits) { return float_from_f16(bits); }
uint bits_from(float x) { return f16_from_float(x); }
#endif

#ifdef F32_RESULT
#define RESULT float
#define STORED float
RESULT rounded(float x) { return x; }
#else
#define RESULT uint16_t
#define STORED float16_t
RESULT rounded(float x) { return uint16_t(bits_from(x)); }
#endif

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint M = 16;
layout(constant_id = 2) const uint N = 16;
layout(constant_id = 3) const uint K = 16;
layout(constant_id = 4) const uint subgroups_m = 2;
layout(constant_id = 5) const uint subgroups_n = 2;
layout(constant_id = 6) const uint fragments_m = 2;
layout(constant_id = 7) const uint fragments_n = 2;
layout(constant_id = 8) const uint fragments_k = 2;
layout(constant_id = 9) const uint TRANSPOSED_OPERANDS = 0;
layout(constant_id = 10) const bool VEC4_LOADS = false;
layout(constant_id = 11) const uint FIXED_K = 16;
layout(constant_id = 12) const uint LDA = 16;
layout(constant_id = 13) const uint LDB = 16;
layout(constant_id = 14) const uint invocations = 64;
layout(constant_id = 15) const bool k_aligned = false;       // K is a multiple of depth
layout(constant_id = 16) const uint FLAGS = 0;
layout(constant_id = 17) const bool tile_in_bounds = false;  // every tile is: no code but store_all takes registers
#define TRANSPOSED TRANSPOSED_OPERANDS
#include "gpu_vulkan/kernels/gemm/gemm.glsl"
#ifdef FIXED
uint extent_k() { return FIXED_K; }
uint set_flags() { return FLAGS; }
uint leading_a() { return LDA; }
uint leading_b() { return LDB; }
#else
uint extent_k() { return k; }
uint set_flags() { return flags; }
uint leading_a() { return lda; }
uint leading_b() { return ldb; }
#endif

layout(set = 0, binding = 0) readonly buffer A { uint16_t a[]; };
layout(set = 0, binding = 0) readonly buffer AVec4 { uvec4 a_vec4[]; };
layout(set = 0, binding = 1) readonly buffer B { uint16_t b[]; };
layout(set = 0, binding = 1) readonly buffer BVec4 { uvec4 b_vec4[]; };
layout(set = 0, binding = 2) readonly buffer C { uint16_t c[]; };
layout(set = 0, binding = 3) writeonly buffer Y { RESULT y[]; };
layout(set = 0, binding = 3) writeonly buffer YVec4 { uvec4 y_vec4[]; };

const bool transpose_a = (TRANSPOSED & TRANSPOSE_A) != 0u, transpose_b = (TRANSPOSED & TRANSPOSE_B) != 0u;
const uint rows = subgroups_m * fragments_m * M, columns = subgroups_n * fragments_n * N, depth = fragments_k * K;
// A line of a tile is a line of the operand in memory, and a piece more that keeps shared memory's banks apart.
const uint a_lines = transpose_a ? depth : rows, a_pieces = (transpose_a ? rows : depth) / 8u, a_pitch = a_pieces + 1u;
const uint b_lines = transpose_b ? columns : depth, b_pieces = (transpose_b ? depth : columns) / 8u;
const uint b_pitch = b_pieces + 1u;
// When all is multiplied each subgroup has room, where the tile of a was, for a strip of y: M lines of some of its
// matrices, 128 bytes at most, and a piece more. From there y is written in whole lines of a cache; matrices written
// as they are, a few bytes of many lines at a time, cost as much as a K of 300.
const uint f32_strip = fragments_n * N < 32u ? fragments_n : N < 32u ? 32u / N : 1u;
const uint f16_strip = fragments_n * N < 64u ? fragments_n : N < 64u ? 64u / N : 1u;
const uint room = M * (f32_strip * N / 4u + 1u), all_room = subgroups_m * subgroups_n * room;
const uint a_size = a_lines * a_pitch;
shared uvec4 a_tile[a_size < all_room ? all_room : a_size];
shared uvec4 b_tile[b_lines * b_pitch];

const uint a_each = (a_lines * a_pieces + invocations - 1u) / invocations;
const uint b_each = (b_lines * b_pieces + invocations - 1u) / invocations;
const bool a_even = a_lines * a_pieces % invocations == 0u, b_even = b_lines * b_pieces % invocations == 0u;
uvec4 fetched_a[a_each], fetched_b[b_each];
uint a_start[a_each], b_start[b_each];  // where the first tile begins: in pieces where VEC4_LOADS, else in elements

#define MATRIX(T) coopmat<T, gl_ScopeSubgroup, M, N, gl_MatrixUseAccumulator>
MATRIX(ACCUMULATOR) acc[fragments_m * fragments_n];

// Lines and positions in them that lie beyond the rows or columns are those of the last: nobody reads their
// accumulators. Beyond K there are zeros.
uint a_begin(uint first, uint row, uint piece) {
  const uint line = piece / a_pieces, along = piece % a_pieces * 8u;
  if (!transpose_a) return first + min(row + line, m - 1u) * leading_a() + along;
  return first + line * leading_a() + min(row + along, VEC4_LOADS ? m - 8u : m - 1u);
}
uint b_begin(uint first, uint column, uint piece) {
  const uint line = piece / b_pieces, along = piece % b_pieces * 8u;
  if (transpose_b) return first + min(column + line, n - 1u) * leading_b() + along;
  return first + line * leading_b() + min(column + along, VEC4_LOADS ? n - 8u : n - 1u);
}

// Eight elements of a piece that begins at position at_k of K where pieces lie along K, else all at that position.
uvec4 elements_of_a(uint start, uint row, uint piece, uint at_k) {
  uint x[8];
  const uint left = transpose_a ? m - min(m, row + piece % a_pieces * 8u) : extent_k() - min(extent_k(), at_k);
  [[unroll]] for (uint i = 0; i < 8u; ++i) x[i] = i < left ? uint(a[start + i]) : 0u;
  return joined_halves(x);
}
uvec4 elements_of_b(uint start, uint column, uint piece, uint at_k) {
  uint x[8];
  const uint left = transpose_b ? extent_k() - min(extent_k(), at_k) : n - min(n, column + piece % b_pieces * 8u);
  [[unroll]] for (uint i = 0; i < 8u; ++i) x[i] = i < left ? uint(b[start + i]) : 0u;
  return joined_halves(x);
}

void fetch(uint row, uint column, uint step) {
  const uint a_stride = depth * (transpose_a ? leading_a() : 1u) / (VEC4_LOADS ? 8u : 1u);
  const uint b_stride = depth * (transpose_b ? 1u : leading_b()) / (VEC4_LOADS ? 8u : 1u);
  [[unroll]] for (uint i = 0; i < a_each; ++i) {
    const uint piece = gl_LocalInvocationID.x + i * invocations;
    const uint at_k = step * depth + (transpose_a ? piece / a_pieces : piece % a_pieces * 8u);
    if ((a_even || piece < a_lines * a_pieces) && (k_aligned || at_k < extent_k())) {
      const uint start = a_start[i] + step * a_stride;
      fetched_a[i] = VEC4_LOADS ? a_vec4[start] : elements_of_a(start, row, piece, at_k);
    } else {
      fetched_a[i] = uvec4(0u);
    }
  }
  [[unroll]] for (uint i = 0; i < b_each; ++i) {
    const uint piece = gl_LocalInvocationID.x + i * invocations;
    const uint at_k = step * depth + (transpose_b ? piece % b_pieces * 8u : piece / b_pieces);
    if ((b_even || piece < b_lines * b_pieces) && (k_aligned || at_k < extent_k())) {
      const uint start = b_start[i] + step * b_stride;
      fetched_b[i] = VEC4_LOADS ? b_vec4[start] : elements_of_b(start, column, piece, at_k);
    } else {
      fetched_b[i] = uvec4(0u);
    }
  }
}

void stage() {
  [[unroll]] for (uint i = 0; i < a_each; ++i) {
    const uint piece = gl_LocalInvocationID.x + i * invocations;
    if (a_even || piece < a_lines * a_pieces) a_tile[piece / a_pieces * a_pitch + piece % a_pieces] = fetched_a[i];
  }
  [[unroll]] for (uint i = 0; i < b_each; ++i) {
    const uint piece = gl_LocalInvocationID.x + i * invocations;
    if (b_even || piece < b_lines * b_pieces) b_tile[piece / b_pieces * b_pitch + piece % b_pieces] = fetched_b[i];
  }
}

// Adds the product of the staged tiles to the accumulators of the subgroup tile at my_row, my_column.
void multiply(uint my_row, uint my_column) {
  [[unroll]] for (uint t = 0; t < depth; t += K) {
    coopmat<float16_t, gl_ScopeSubgroup, M, K, gl_MatrixUseA> left[fragments_m];
    [[unroll]] for (uint i = 0; i < fragments_m; ++i) {
      const uint r = my_row + i * M;
      const uint at = transpose_a ? t * a_pitch + r / 8u : r * a_pitch + t / 8u;
      if (transpose_a) coopMatLoad(left[i], a_tile, at, a_pitch, gl_CooperativeMatrixLayoutColumnMajor);
      else coopMatLoad(left[i], a_tile, at, a_pitch, gl_CooperativeMatrixLayoutRowMajor);
    }
    [[unroll]] for (uint j = 0; j < fragments_n; ++j) {
      const uint s = my_column + j * N;
      coopmat<float16_t, gl_ScopeSubgroup, K, N, gl_MatrixUseB> right;
      const uint at = transpose_b ? s * b_pitch + t / 8u : t * b_pitch + s / 8u;
      if (transpose_b) coopMatLoad(right, b_tile, at, b_pitch, gl_CooperativeMatrixLayoutColumnMajor);
      else coopMatLoad(right, b_tile, at, b_pitch, gl_CooperativeMatrixLayoutRowMajor);
      [[unroll]] for (uint i = 0; i < fragments_m; ++i)
        acc[i * fragments_n + j] = coopMatMulAdd(left[i], right, acc[i * fragments_n + j]);
    }
  }
}

// Number i of what the subgroups keep where the tile of a was.
float kept(uint i) { return uintBitsToFloat(a_tile[i / 4u][i % 4u]); }

// Eight neighbouring elements of y, of which the first is inside.
void write(uint index, uint row, uint column, uint from) {
  const uint at = (index * m + row) * n + column, past = min(8u, n - column);
  float x[8];
  [[unroll]] for (uint i = 0; i < 8u; ++i) x[i] = kept(from + i);
  if ((set_flags() & SCALED) != 0u)
    [[unroll]] for (uint i = 0; i < 8u; ++i) x[i] *= uintBitsToFloat(alpha[0]);
  if ((set_flags() & HAS_C) != 0u)
    [[unroll]] for (uint i = 0; i < 8u; ++i)
      if (i < past) x[i] += uintBitsToFloat(beta[0]) * float_from(uint(c[position_in_c(row, column + i)]));
  if (n % 8u != 0u) {
    [[unroll]] for (uint i = 0; i < 8u; ++i)
      if (i < past) y[at + i] = rounded(x[i]);
    return;
  }
#ifdef F32_RESULT
  y_vec4[at / 4u] = floatBitsToUint(vec4(x[0], x[1], x[2], x[3]));
  y_vec4[at / 4u + 1u] = floatBitsToUint(vec4(x[4], x[5], x[6], x[7]));
#else
  uint halves[8];
  [[unroll]] for (uint i = 0; i < 8u; ++i) halves[i] = uint(rounded(x[i]));
  y_vec4[at / 8u] = joined_halves(halves);
#endif
}

// Stores accumulators from row, column of y on, some elements of which may be outside, in strips of f32. The loop over
// strips is one: as many copies of its body as there are strips do not fit in a cache of instructions.
void write_all(uint index, uint row, uint column) {
  const uint strips = (fragments_n + f32_strip - 1u) / f32_strip, pieces = f32_strip * N / 8u;
  const uint pitch = f32_strip * N / 4u + 1u, mine = gl_SubgroupID * room;
  for (uint e = 0; e < fragments_m * strips; ++e) {
    const uint i = e / strips, first = e % strips * f32_strip;
    [[unroll]] for (uint f = 0; f < fragments_m * fragments_n; ++f)
      if (f / fragments_n == i && f % fragments_n - first < f32_strip)
        coopMatStore(MATRIX(float)(acc[f]), a_tile, mine + (f % fragments_n - first) * N / 4u, pitch,
                     gl_CooperativeMatrixLayoutRowMajor);
    subgroupBarrier();
    const uint past = min(n, column + fragments_n * N);
    for (uint p = gl_SubgroupInvocationID; p < M * pieces; p += gl_SubgroupSize) {
      const uint r = row + i * M + p / pieces, s = column + first * N + p % pieces * 8u;
      if (r < m && s < past) write(index, r, s, (mine + p / pieces * pitch + p % pieces * 2u) * 4u);
    }
    subgroupBarrier();
  }
}

#if defined(HW_RTE) || defined(F32_RESULT)
#define STORES_SUMS
#endif
#ifdef STORES_SUMS
#ifdef F32_RESULT
const uint strip = f32_strip, in_piece = 4u;
#else
const uint strip = f16_strip, in_piece = 8u;
#endif

#ifdef CAN_ADD
// A c that is one row for all rows is fetched before the first K step. It serves as all rows of a matrix.
shared float same_row[columns];

bool has_same_row() { return (set_flags() & HAS_C) != 0u && c_strides[0] == 0u; }

void fetch_row(uint column) {
  for (uint i = gl_LocalInvocationID.x; i < columns; i += invocations)
    same_row[i] = column + i < n ? uintBitsToFloat(beta[0]) * float_from(uint(c[position_in_c(0u, column + i)])) : 0.0;
}

void add_row(uint my_column) {
  [[unroll]] for (uint j = 0; j < fragments_n; ++j) {
    MATRIX(float) added;
    coopMatLoad(added, same_row, my_column + j * N, 0u, gl_CooperativeMatrixLayoutRowMajor);
    [[unroll]] for (uint i = 0; i < fragments_m; ++i) acc[i * fragments_n + j] += added;
  }
}
#endif

// Stores accumulators that all lie inside y, in strips of 16-byte pieces.
void store_all(uint index, uint row, uint column, uint my_column) {
  const uint mine = gl_SubgroupID * room, pitch = strip * N / in_piece + 1u;
  const uint strips = (fragments_n + strip - 1u) / strip;
#ifdef CAN_ADD
  if ((set_flags() & SCALED) != 0u)
    [[unroll]] for (uint e = 0; e < fragments_m * fragments_n; ++e) acc[e] *= uintBitsToFloat(alpha[0]);
  if ((set_flags() & HAS_C) != 0u) add_row(my_column);
#endif
  [[unroll]] for (uint i = 0; i < fragments_m; ++i)
    [[unroll]] for (uint s = 0; s < strips; ++s) {
      // Which matrices a strip has must not be bounds of the loop: these would not be constant, and it not unrolled.
      [[unroll]] for (uint j = 0; j < fragments_n; ++j)
        if (j / strip == s)
          coopMatStore(MATRIX(STORED)(acc[i * fragments_n + j]), a_tile, mine + j % strip * N / in_piece, pitch,
                       gl_CooperativeMatrixLayoutRowMajor);
      subgroupBarrier();
      const uint pieces = (s + 1u < strips ? strip : fragments_n - s * strip) * N / in_piece;
      const uint at = ((index * m + row + i * M) * n + column + s * strip * N) / in_piece;
      for (uint p = gl_SubgroupInvocationID; p < M * pieces; p += gl_SubgroupSize)
        y_vec4[at + p / pieces * (n / in_piece) + p % pieces] = a_tile[mine + p / pieces * pitch + p % pieces];
      subgroupBarrier();
    }
}
#endif

void main() {
  const uint tiles = (m + rows - 1u) / rows * ((n + columns - 1u) / columns), index = group_index() / tiles;
  if (index >= batches) return;
  const uvec2 begin = begin_of_tile(group_index() % tiles, rows, columns);
  const uint row = begin.x, column = begin.y;
  const uint my_row = gl_SubgroupID / subgroups_n * fragments_m * M;
  const uint my_column = gl_SubgroupID % subgroups_n * fragments_n * N;
  const uvec2 first = operands_of(index);

  [[unroll]] for (uint i = 0; i < a_each; ++i)
    a_start[i] = a_begin(first.x, row, gl_LocalInvocationID.x + i * invocations) / (VEC4_LOADS ? 8u : 1u);
  [[unroll]] for (uint i = 0; i < b_each; ++i)
    b_start[i] = b_begin(first.y, column, gl_LocalInvocationID.x + i * invocations) / (VEC4_LOADS ? 8u : 1u);
  [[unroll]] for (uint e = 0; e < fragments_m * fragments_n; ++e)
    acc[e] = MATRIX(ACCUMULATOR)(0.0);
#if defined(STORES_SUMS) && defined(CAN_ADD)
  if (has_same_row()) fetch_row(column);
#endif
  fetch(row, column, 0);
  stage();
  barrier();
  for (uint step = 1; step < (extent_k() + depth - 1u) / depth; ++step) {
    fetch(row, column, step);
    multiply(my_row, my_column);
    barrier();
    stage();
    barrier();
  }
  multiply(my_row, my_column);
  barrier();

#ifdef STORES_SUMS
#ifdef CAN_ADD
  const bool can_add = (set_flags() & HAS_C) == 0u || has_same_row();
#else
  const bool can_add = (set_flags() & (HAS_C | SCALED)) == 0u;
#endif
  if (tile_in_bounds || (row + rows <= m && column + columns <= n && n % 8u == 0u && can_add))
    store_all(index, row + my_row, column + my_column, my_column);
  else
#endif
    write_all(index, row + my_row, column + my_column);
}
