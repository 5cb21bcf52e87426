// Blocks of keys and values on their way, for the shaders of attention by cooperative matrices. Operands are read in
// pieces of 8 neighbouring elements. Before it: attention.glsl; D, Dv and N, keys of a block and the invocations that
// fetch them; k_pieces and v_pieces of a line, whole matrices of them.
#ifndef PLUMB_ATTENTION_BLOCKS_GLSL
#define PLUMB_ATTENTION_BLOCKS_GLSL

layout(set = 0, binding = 0) readonly buffer WideQ { uvec4 wide_q[]; };
layout(set = 0, binding = 1) readonly buffer WideK { uvec4 wide_k[]; };
layout(set = 0, binding = 2) readonly buffer WideV { uvec4 wide_v[]; };
layout(set = 0, binding = 6) writeonly buffer WideY { uvec4 wide_y[]; };

// The next block of k and of v are in registers while others are multiplied. Rows behind the last are hidden: any
// will do.
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

/// Whether the position of query i lets it see any key.
bool sees_any(uint i) {
  const int position = int(i) + shift;
  return max(0, position + lowest) <= min(key_count - 1, position + highest);
}

/// Whether the queries from `low` to `high` see all keys of a block, as far as positions go.
bool is_seen_whole(uint from, int low, int high) {
  return int(from + keys) <= min(key_count, low + shift + highest + 1) && int(from) >= high + shift + lowest;
}

#endif
