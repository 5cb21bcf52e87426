// The rows of a workgroup's tile where each row has an expert. Behind element_tile.glsl; the includer defines
// EXPERT_TILES, the binding of the tiles, which that of the sorted row numbers follows.
#ifndef PLUMB_GROUPED_TILE_GLSL
#define PLUMB_GROUPED_TILE_GLSL

#include "gpu_vulkan/kernels/gemm/expert_tiles.glsl"

layout(set = 0, binding = EXPERT_TILES) readonly buffer Tiles { ExpertTile expert_tiles[]; };
layout(set = 0, binding = EXPERT_TILES + 1) readonly buffer SortedRows { uint sorted_rows[]; };

uint expert;
shared uint row_numbers[rows];

/// Reads which expert a tile has and which rows, and returns how many these are.
uint begin_rows(uint tile) {
  expert = expert_tiles[tile].expert;
  const uint first = expert_tiles[tile].first, height = expert_tiles[tile].height;
  for (uint r = gl_LocalInvocationID.x; r < height; r += gl_WorkGroupSize.x) row_numbers[r] = sorted_rows[first + r];
  barrier();
  return height;
}

#endif
