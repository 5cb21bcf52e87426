#version 450
// variants: w1 w2 w4 w8 w16
// Copies elements along strides where x is dense along one axis ("down") and y along
// another ("across"). A workgroup moves one tile of both through shared memory, reading
// and writing whole rows; the other axes number the tiles. All that an invocation reads of a tile
// is under way before the first of it is waited for.
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/glsl/divide.glsl"
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/glsl/word.glsl"

layout(local_size_x_id = 0, local_size_y_id = 1) in;  // side x rows that are moved at once
layout(constant_id = 0) const uint side = 1;
layout(constant_id = 1) const uint rows = 1;
layout(constant_id = 2) const uint others = 0;  // axes besides down and across

layout(set = 0, binding = 0) readonly buffer X { WORD x[]; };
layout(set = 0, binding = 1) writeonly buffer Y { WORD y[]; };
layout(push_constant) uniform Block {
  uvec2 by_tiles_down, by_tiles_across;  // divisors
  uint tiles, tiles_down, tiles_across;
  uint down, across;          // extents
  uint across_from, down_to;  // strides; the other two are 1
  uint first_from, first_to;
  uint extents[6], from_strides[6], to_strides[6];
};

const uint each = side / rows;
shared HELD tile[side][side + 1];  // the odd row length spreads a column over the banks

void main() {
  const uint group = group_index();
  if (group >= tiles) return;
  const uint by_across = divide(group, by_tiles_across), j0 = (group - by_across * tiles_across) * side;
  uint rest = divide(by_across, by_tiles_down);
  const uint i0 = (by_across - rest * tiles_down) * side;
  uint from = first_from, to = first_to;
  for (uint k = others; k-- > 0u; rest /= extents[k]) {
    from += rest % extents[k] * from_strides[k];
    to += rest % extents[k] * to_strides[k];
  }

  const uint column = gl_LocalInvocationID.x, row = gl_LocalInvocationID.y;
  HELD moved[each];
  [[unroll]] for (uint e = 0u; e < each; ++e) {
    const uint i = i0 + column, j = j0 + row + e * rows;
    moved[e] = HELD(0);
    if (i < down && j < across) moved[e] = HELD(x[from + i + j * across_from]);
  }
  [[unroll]] for (uint e = 0u; e < each; ++e) tile[row + e * rows][column] = moved[e];
  barrier();
  [[unroll]] for (uint e = 0u; e < each; ++e) {
    const uint i = i0 + row + e * rows, j = j0 + column;
    if (i < down && j < across) y[to + j + i * down_to] = WORD(tile[column][row + e * rows]);
  }
}
