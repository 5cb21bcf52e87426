#version 450
// y = alpha a b + beta c for f16 or bf16 operands, summed in f32 by cooperative matrices of M x K by K x N. A workgroup
// stages tiles of a and b in shared memory, zeros where they reach beyond the terms; each of its subgroups computes
// each_m x each_n matrices of y. While one tile is multiplied the next is on its way in registers. Both come in pieces
// of 8 neighbouring elements: one access each where WIDE says that every line and matrix begins at a multiple of 8
// elements and ends at one.
// Of a variant that is _fixed all that addresses depend on is constant: a sixth of the time of large products.
// One that is _even has conversions that round to nearest even; it stores matrices of y as they are where all of the
// tile is inside, as f16_f32 does. The others round by hand.
// Those of f16acc16 keep their sums in f16; they have nothing to multiply them by or to add.
// variants: f16 f16_even f16_f32 f16_even_fixed f16_f32_fixed bf16 bf16_f32 bf16_fixed bf16_f32_fixed
// variants: f16acc16_f32 f16acc16_f32_fixed
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
#if defined(VARIANT_f16_even_fixed) || defined(VARIANT_f16_f32_fixed) || defined(VARIANT_bf16_fixed) || \
    defined(VARIANT_bf16_f32_fixed) || defined(VARIANT_f16acc16_f32_fixed)
#define FIXED
#endif
#if defined(VARIANT_f16_f32) || defined(VARIANT_f16_f32_fixed) || defined(VARIANT_bf16_f32) || \
    defined(VARIANT_bf16_f32_fixed) || defined(VARIANT_f16acc16_f32) || defined(VARIANT_f16acc16_f32_fixed)
#define F32_RESULT
#elif defined(VARIANT_f16_even) || defined(VARIANT_f16_even_fixed)
#define EVEN
#extension GL_EXT_spirv_intrinsics : require
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4467], 4462, 16);  // RoundingModeRTE
#endif
#if defined(VARIANT_f16acc16_f32) || defined(VARIANT_f16acc16_f32_fixed)
#define SUM float16_t
#else
#define SUM float
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
layout(constant_id = 6) const uint each_m = 2;
layout(constant_id = 7) const uint each_n = 2;
layout(constant_id = 8) const uint deep = 2;
layout(constant_id = 9) const uint TRANSPOSED_OPERANDS = 0;
layout(constant_id = 10) const bool WIDE = false;
layout(constant_id = 11) const uint TERMS = 16;  // k, where that is fixed
layout(constant_id = 12) const uint A_LINE = 16;
layout(constant_id = 13) const uint B_LINE = 16;
layout(constant_id = 14) const uint invocations = 64;
layout(constant_id = 15) const bool whole = false;   // no tile reaches beyond the terms
layout(constant_id = 16) const uint FLAGS = 0;       // flags, where they are fixed
layout(constant_id = 17) const bool inside = false;  // store_all serves all tiles: no other code takes its registers
#define TRANSPOSED TRANSPOSED_OPERANDS
#include "gpu_vulkan/kernels/gemm/product.glsl"
#ifdef FIXED
uint terms() { return TERMS; }
uint set_flags() { return FLAGS; }
uint line_of_a() { return A_LINE; }
uint line_of_b() { return B_LINE; }
#else
uint terms() { return k; }
uint set_flags() { return flags; }
uint line_of_a() { return a_line; }
uint line_of_b() { return b_line; }
#endif

layout(set = 0, binding = 0) readonly buffer A { uint16_t a[]; };
layout(set = 0, binding = 0) readonly buffer WideA { uvec4 wide_a[]; };
layout(set = 0, binding = 1) readonly buffer B { uint16_t b[]; };
layout(set = 0, binding = 1) readonly buffer WideB { uvec4 wide_b[]; };
layout(set = 0, binding = 2) readonly buffer C { uint16_t c[]; };
layout(set = 0, binding = 3) writeonly buffer Y { RESULT y[]; };
layout(set = 0, binding = 3) writeonly buffer WideY { uvec4 wide_y[]; };

const bool transpose_a = (TRANSPOSED & TRANSPOSE_A) != 0u, transpose_b = (TRANSPOSED & TRANSPOSE_B) != 0u;
const uint rows = subgroups_m * each_m * M, columns = subgroups_n * each_n * N, depth = deep * K;
// A line of a tile is a line of the operand in memory, and a piece more that keeps shared memory's banks apart.
const uint a_lines = transpose_a ? depth : rows, a_pieces = (transpose_a ? rows : depth) / 8u, a_pitch = a_pieces + 1u;
const uint b_lines = transpose_b ? columns : depth, b_pieces = (transpose_b ? depth : columns) / 8u;
const uint b_pitch = b_pieces + 1u;
// When all is multiplied each subgroup has room, where the tile of a was, for a strip of y: M lines of some of its
// matrices, 128 bytes at most, and a piece more. From there y is written in whole lines of a cache; matrices written
// as they are, a few bytes of many lines at a time, cost as much as 300 terms.
const uint f32_strip = each_n * N < 32u ? each_n : N < 32u ? 32u / N : 1u;
const uint f16_strip = each_n * N < 64u ? each_n : N < 64u ? 64u / N : 1u;
const uint room = M * (f32_strip * N / 4u + 1u), all_room = subgroups_m * subgroups_n * room;
const uint a_size = a_lines * a_pitch;
shared uvec4 a_tile[a_size < all_room ? all_room : a_size];
shared uvec4 b_tile[b_lines * b_pitch];

const uint a_each = (a_lines * a_pieces + invocations - 1u) / invocations;
const uint b_each = (b_lines * b_pieces + invocations - 1u) / invocations;
const bool a_even = a_lines * a_pieces % invocations == 0u, b_even = b_lines * b_pieces % invocations == 0u;
uvec4 fetched_a[a_each], fetched_b[b_each];
uint a_start[a_each], b_start[b_each];  // where the first tile begins: in pieces where WIDE, else in elements

#define MATRIX(T) coopmat<T, gl_ScopeSubgroup, M, N, gl_MatrixUseAccumulator>
MATRIX(SUM) sums[each_m * each_n];

// Lines and positions in them that lie beyond the rows or columns are those of the last: nobody reads their sums.
// Beyond the terms there are zeros.
uint a_begin(uint first, uint row, uint piece) {
  const uint line = piece / a_pieces, along = piece % a_pieces * 8u;
  if (!transpose_a) return first + min(row + line, m - 1u) * line_of_a() + along;
  return first + line * line_of_a() + min(row + along, WIDE ? m - 8u : m - 1u);
}
uint b_begin(uint first, uint column, uint piece) {
  const uint line = piece / b_pieces, along = piece % b_pieces * 8u;
  if (transpose_b) return first + min(column + line, n - 1u) * line_of_b() + along;
  return first + line * line_of_b() + min(column + along, WIDE ? n - 8u : n - 1u);
}

// Eight elements of a piece that begins at term `term` where pieces lie along the terms, else all of term `term`.
uvec4 elements_of_a(uint start, uint row, uint piece, uint term) {
  uint x[8];
  const uint left = transpose_a ? m - min(m, row + piece % a_pieces * 8u) : terms() - min(terms(), term);
  [[unroll]] for (uint i = 0; i < 8u; ++i) x[i] = i < left ? uint(a[start + i]) : 0u;
  return joined_halves(x);
}
uvec4 elements_of_b(uint start, uint column, uint piece, uint term) {
  uint x[8];
  const uint left = transpose_b ? terms() - min(terms(), term) : n - min(n, column + piece % b_pieces * 8u);
  [[unroll]] for (uint i = 0; i < 8u; ++i) x[i] = i < left ? uint(b[start + i]) : 0u;
  return joined_halves(x);
}

void fetch(uint row, uint column, uint step) {
  const uint a_stride = depth * (transpose_a ? line_of_a() : 1u) / (WIDE ? 8u : 1u);
  const uint b_stride = depth * (transpose_b ? 1u : line_of_b()) / (WIDE ? 8u : 1u);
  [[unroll]] for (uint i = 0; i < a_each; ++i) {
    const uint piece = gl_LocalInvocationID.x + i * invocations;
    const uint term = step * depth + (transpose_a ? piece / a_pieces : piece % a_pieces * 8u);
    if ((a_even || piece < a_lines * a_pieces) && (whole || term < terms())) {
      const uint start = a_start[i] + step * a_stride;
      fetched_a[i] = WIDE ? wide_a[start] : elements_of_a(start, row, piece, term);
    } else {
      fetched_a[i] = uvec4(0u);
    }
  }
  [[unroll]] for (uint i = 0; i < b_each; ++i) {
    const uint piece = gl_LocalInvocationID.x + i * invocations;
    const uint term = step * depth + (transpose_b ? piece % b_pieces * 8u : piece / b_pieces);
    if ((b_even || piece < b_lines * b_pieces) && (whole || term < terms())) {
      const uint start = b_start[i] + step * b_stride;
      fetched_b[i] = WIDE ? wide_b[start] : elements_of_b(start, column, piece, term);
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

// Adds the products of the staged tiles to the sums of the matrices at my_row, my_column.
void multiply(uint my_row, uint my_column) {
  [[unroll]] for (uint t = 0; t < depth; t += K) {
    coopmat<float16_t, gl_ScopeSubgroup, M, K, gl_MatrixUseA> left[each_m];
    [[unroll]] for (uint i = 0; i < each_m; ++i) {
      const uint r = my_row + i * M;
      const uint at = transpose_a ? t * a_pitch + r / 8u : r * a_pitch + t / 8u;
      if (transpose_a) coopMatLoad(left[i], a_tile, at, a_pitch, gl_CooperativeMatrixLayoutColumnMajor);
      else coopMatLoad(left[i], a_tile, at, a_pitch, gl_CooperativeMatrixLayoutRowMajor);
    }
    [[unroll]] for (uint j = 0; j < each_n; ++j) {
      const uint s = my_column + j * N;
      coopmat<float16_t, gl_ScopeSubgroup, K, N, gl_MatrixUseB> right;
      const uint at = transpose_b ? s * b_pitch + t / 8u : t * b_pitch + s / 8u;
      if (transpose_b) coopMatLoad(right, b_tile, at, b_pitch, gl_CooperativeMatrixLayoutColumnMajor);
      else coopMatLoad(right, b_tile, at, b_pitch, gl_CooperativeMatrixLayoutRowMajor);
      [[unroll]] for (uint i = 0; i < each_m; ++i)
        sums[i * each_n + j] = coopMatMulAdd(left[i], right, sums[i * each_n + j]);
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
  wide_y[at / 4u] = floatBitsToUint(vec4(x[0], x[1], x[2], x[3]));
  wide_y[at / 4u + 1u] = floatBitsToUint(vec4(x[4], x[5], x[6], x[7]));
#else
  uint halves[8];
  [[unroll]] for (uint i = 0; i < 8u; ++i) halves[i] = uint(rounded(x[i]));
  wide_y[at / 8u] = joined_halves(halves);
#endif
}

// The matrices of y from row, column on, of which some elements may be outside, in strips of f32. The loop over strips
// is one: as many copies of its body as there are strips do not fit in a cache of instructions.
void write_all(uint index, uint row, uint column) {
  const uint strips = (each_n + f32_strip - 1u) / f32_strip, pieces = f32_strip * N / 8u;
  const uint pitch = f32_strip * N / 4u + 1u, mine = gl_SubgroupID * room;
  for (uint e = 0; e < each_m * strips; ++e) {
    const uint i = e / strips, first = e % strips * f32_strip;
    [[unroll]] for (uint f = 0; f < each_m * each_n; ++f)
      if (f / each_n == i && f % each_n - first < f32_strip)
        coopMatStore(MATRIX(float)(sums[f]), a_tile, mine + (f % each_n - first) * N / 4u, pitch,
                     gl_CooperativeMatrixLayoutRowMajor);
    subgroupBarrier();
    const uint past = min(n, column + each_n * N);
    for (uint p = gl_SubgroupInvocationID; p < M * pieces; p += gl_SubgroupSize) {
      const uint r = row + i * M + p / pieces, s = column + first * N + p % pieces * 8u;
      if (r < m && s < past) write(index, r, s, (mine + p / pieces * pitch + p % pieces * 2u) * 4u);
    }
    subgroupBarrier();
  }
}

#if defined(EVEN) || defined(F32_RESULT)
#ifdef F32_RESULT
const uint strip = f32_strip, in_piece = 4u;
#else
const uint strip = f16_strip, in_piece = 8u;
#endif

#ifdef CAN_ADD
// What is added to all rows alike is fetched before the terms are. A line of it serves as all lines of a matrix.
shared float same_row[columns];

bool has_same_row() { return (set_flags() & HAS_C) != 0u && c_strides[0] == 0u; }

void fetch_row(uint column) {
  for (uint i = gl_LocalInvocationID.x; i < columns; i += invocations)
    same_row[i] = column + i < n ? uintBitsToFloat(beta[0]) * float_from(uint(c[position_in_c(0u, column + i)])) : 0.0;
}

void add_row(uint my_column) {
  [[unroll]] for (uint j = 0; j < each_n; ++j) {
    MATRIX(float) added;
    coopMatLoad(added, same_row, my_column + j * N, 0u, gl_CooperativeMatrixLayoutRowMajor);
    [[unroll]] for (uint i = 0; i < each_m; ++i) sums[i * each_n + j] += added;
  }
}
#endif

// Stores accumulators that lie inside of y, in strips of 16-byte pieces.
void store_all(uint index, uint row, uint column, uint my_column) {
  const uint mine = gl_SubgroupID * room, pitch = strip * N / in_piece + 1u, strips = (each_n + strip - 1u) / strip;
#ifdef CAN_ADD
  if ((set_flags() & SCALED) != 0u)
    [[unroll]] for (uint e = 0; e < each_m * each_n; ++e) sums[e] *= uintBitsToFloat(alpha[0]);
  if ((set_flags() & HAS_C) != 0u) add_row(my_column);
#endif
  [[unroll]] for (uint i = 0; i < each_m; ++i)
    [[unroll]] for (uint s = 0; s < strips; ++s) {
      // Which matrices a strip has must not be bounds of the loop: these would not be constant, and it not unrolled.
      [[unroll]] for (uint j = 0; j < each_n; ++j)
        if (j / strip == s)
          coopMatStore(MATRIX(STORED)(sums[i * each_n + j]), a_tile, mine + j % strip * N / in_piece, pitch,
                       gl_CooperativeMatrixLayoutRowMajor);
      subgroupBarrier();
      const uint pieces = (s + 1u < strips ? strip : each_n - s * strip) * N / in_piece;
      const uint at = ((index * m + row + i * M) * n + column + s * strip * N) / in_piece;
      for (uint p = gl_SubgroupInvocationID; p < M * pieces; p += gl_SubgroupSize)
        wide_y[at + p / pieces * (n / in_piece) + p % pieces] = a_tile[mine + p / pieces * pitch + p % pieces];
      subgroupBarrier();
    }
}
#endif

void main() {
  const uint tiles = (m + rows - 1u) / rows * ((n + columns - 1u) / columns), index = group_index() / tiles;
  if (index >= batches) return;
  const uvec2 begin = begin_of_tile(group_index() % tiles, rows, columns);
  const uint row = begin.x, column = begin.y;
  const uint my_row = gl_SubgroupID / subgroups_n * each_m * M, my_column = gl_SubgroupID % subgroups_n * each_n * N;
  const uvec2 first = operands_of(index);

  [[unroll]] for (uint i = 0; i < a_each; ++i)
    a_start[i] = a_begin(first.x, row, gl_LocalInvocationID.x + i * invocations) / (WIDE ? 8u : 1u);
  [[unroll]] for (uint i = 0; i < b_each; ++i)
    b_start[i] = b_begin(first.y, column, gl_LocalInvocationID.x + i * invocations) / (WIDE ? 8u : 1u);
  [[unroll]] for (uint e = 0; e < each_m * each_n; ++e)
    sums[e] = MATRIX(SUM)(0.0);
#if (defined(EVEN) || defined(F32_RESULT)) && defined(CAN_ADD)
  if (has_same_row()) fetch_row(column);
#endif
  fetch(row, column, 0);
  stage();
  barrier();
  for (uint step = 1; step < (terms() + depth - 1u) / depth; ++step) {
    fetch(row, column, step);
    multiply(my_row, my_column);
    barrier();
    stage();
    barrier();
  }
  multiply(my_row, my_column);
  barrier();

#if defined(EVEN) || defined(F32_RESULT)
#ifdef CAN_ADD
  const bool can_add = (set_flags() & HAS_C) == 0u || has_same_row();
#else
  const bool can_add = true;
#endif
  if (inside || (row + rows <= m && column + columns <= n && n % 8u == 0u && can_add))
    store_all(index, row + my_row, column + my_column, my_column);
  else
#endif
    write_all(index, row + my_row, column + my_column);
}
