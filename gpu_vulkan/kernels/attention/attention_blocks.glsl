// Code common to the attention shaders by cooperative matrices: their matrices, and the fetch of blocks of keys and
// values, in pieces of 8 neighbouring elements. A shader includes attention.glsl before it, and declares D, Dv, M, N,
// keys (of a block), invocations, and k_pieces and v_pieces (of a line, which whole matrices cover).
//
//   the matrices of a subgroup, M x N and, as operands B, N x N, for one block of keys:
//
//                      keys, N each                     Dv, N each
//                     +------+------+              +------+------+------+
//             D, N    |      |      |              |      |      |      |
//             each    +-- K^T (B) --+        keys  +------ V (B) -------+
//                     |      |      |              |      |      |      |
//                     +------+------+              +------+------+------+
//    +------+------+  +------+------+  +------+    +------+------+------+   +------+------+
//  M |   Q (A)     |  |   S  |      |->| P(A) |    |  acc |      |      |   |row   |row   |
//    +------+------+  +------+------+  +------+    +------+------+------+   |max   |sum   |
//      k_tiles          n_tiles      one at a time   dv_tiles               +------+------+
//
//   Q, acc, row max and row sum stay in registers from the first block of keys to the last. Row max has one number in
//   all columns of a row; row sum has a part of the sum in each, which are added up at the end.
#ifndef PLUMB_ATTENTION_BLOCKS_GLSL
#define PLUMB_ATTENTION_BLOCKS_GLSL

layout(set = 0, binding = 0) readonly buffer WideQ { uvec4 wide_q[]; };
layout(set = 0, binding = 1) readonly buffer WideK { uvec4 wide_k[]; };
layout(set = 0, binding = 2) readonly buffer WideV { uvec4 wide_v[]; };
layout(set = 0, binding = 7) writeonly buffer WideY { uvec4 wide_y[]; };

#define ACCUMULATOR coopmat<float, gl_ScopeSubgroup, M, N, gl_MatrixUseAccumulator>
#define ACCUMULATOR_F16 coopmat<float16_t, gl_ScopeSubgroup, M, N, gl_MatrixUseAccumulator>
#define MATRIX_A coopmat<float16_t, gl_ScopeSubgroup, M, N, gl_MatrixUseA>
#define MATRIX_B coopmat<float16_t, gl_ScopeSubgroup, N, N, gl_MatrixUseB>

// The next block of k and of v is fetched into registers while the one before is multiplied. Keys from `end` on are
// masked, so that any key may stand for them.
const uint k_each = (keys * k_pieces + invocations - 1u) / invocations;
const uint v_each = (keys * v_pieces + invocations - 1u) / invocations;
uvec4 fetched_k[k_each], fetched_v[v_each];

void fetch_k(uint from) {
  [[unroll]] for (uint i = 0; i < k_each; ++i) {
    const uint e = gl_LocalInvocationID.x + i * invocations, r = min(from + e / k_pieces, end - 1u);
    const uint piece = e % k_pieces;
    const bool inside = D % N == 0u || piece < D / 8u;
    fetched_k[i] = inside ? wide_k[(k_begin() + r * k_row) / 8u + piece] : uvec4(0u);
  }
}

void fetch_v(uint from) {
  [[unroll]] for (uint i = 0; i < v_each; ++i) {
    const uint e = gl_LocalInvocationID.x + i * invocations, r = min(from + e / v_pieces, end - 1u);
    const uint piece = e % v_pieces;
    const bool inside = Dv % N == 0u || piece < Dv / 8u;
    fetched_v[i] = inside ? wide_v[(v_begin() + r * v_row) / 8u + piece] : uvec4(0u);
  }
}

/// Whether the window of query i has any key in use.
bool has_key_in_window(uint i) {
  const int position = int(i) + shift;
  return max(0, position + window_lowest) <= min(key_count - 1, position + window_highest);
}

/// Whether positions mask no key of the block from `from` on, for no query from `low` to `high`.
bool is_all_unmasked(uint from, int low, int high) {
  return int(from + keys) <= min(key_count, low + shift + window_highest + 1) &&
         int(from) >= high + shift + window_lowest;
}

#endif
