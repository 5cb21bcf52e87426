#version 450
// variants: w1 w2 w4 w8 w16
// Copies elements along strides where x is dense along one axis ("down") and y along
// another ("across"). A workgroup moves one tile of both through shared memory, reading
// and writing whole rows; the other axes number the tiles.
#extension GL_GOOGLE_include_directive : require
#include "index.glsl"
#include "word.glsl"

layout(local_size_x_id = 0, local_size_y_id = 1) in;  // side x rows that are moved at once
layout(constant_id = 0) const uint side = 1;
layout(constant_id = 2) const uint others = 0;  // axes besides down and across

layout(set = 0, binding = 0) readonly buffer X { WORD x[]; };
layout(set = 0, binding = 1) writeonly buffer Y { WORD y[]; };
layout(push_constant) uniform Block {
  uint tiles, tiles_down, tiles_across;
  uint down, across;          // extents
  uint across_from, down_to;  // strides; the other two are 1
  uint first_from, first_to;
  uint extents[6], from_strides[6], to_strides[6];
};

shared HELD tile[side][side + 1];  // the odd row length spreads a column over the banks

void main() {
  uint group = group_index();
  if (group >= tiles) return;
  const uint j0 = group % tiles_across * side;
  group /= tiles_across;
  const uint i0 = group % tiles_down * side;
  group /= tiles_down;
  uint from = first_from, to = first_to;
  for (uint k = others; k-- > 0u; group /= extents[k]) {
    from += group % extents[k] * from_strides[k];
    to += group % extents[k] * to_strides[k];
  }

  const uint column = gl_LocalInvocationID.x;
  for (uint row = gl_LocalInvocationID.y; row < side; row += gl_WorkGroupSize.y) {
    const uint i = i0 + column, j = j0 + row;
    if (i < down && j < across) tile[row][column] = HELD(x[from + i + j * across_from]);
  }
  barrier();
  for (uint row = gl_LocalInvocationID.y; row < side; row += gl_WorkGroupSize.y) {
    const uint i = i0 + row, j = j0 + column;
    if (i < down && j < across) y[to + j + i * down_to] = WORD(tile[column][row]);
  }
}
