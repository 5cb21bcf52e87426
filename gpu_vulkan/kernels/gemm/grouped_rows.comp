#version 450
// Sorts rows by their expert, and lists tiles of rows that have one. A workgroup counts them, by expert and by chunk of
// rows, of which each invocation has one, sums the counts up in that order, and writes each row's number to the place
// that it finds there: those of an expert stay in their order. Rows of expert -1, and of an index out of range, come
// last.
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/kernels/gemm/expert_tiles.glsl"

layout(local_size_x_id = 0) in;

layout(set = 0, binding = 0) readonly buffer Experts { uint indices[]; };
layout(set = 0, binding = 1) coherent buffer Places { uint places[]; };  // by group and chunk
layout(set = 0, binding = 2) writeonly buffer SortedRows { uint sorted_rows[]; };
layout(set = 0, binding = 3) writeonly buffer Tiles { ExpertTile expert_tiles[]; };
#define FAULTS_BINDING 4
#include "gpu_vulkan/glsl/faults.glsl"
#include "gpu_vulkan/glsl/wide_index.glsl"

layout(push_constant) uniform Block {
  uint count, index_words;  // rows; 32-bit words of an index
  uint groups;              // experts, and one of the rows that have none
  uint chunk, chunks;       // rows of an invocation, and how many invocations have any
  uint height, tiles;       // the most rows of a tile, and the most tiles
  uint node;
};

shared uint totals[gl_WorkGroupSize.x];

uint group_of(uint row) {
  const uvec2 index = wide_index(row, index_words);
  return index.y == 0u && index.x < groups - 1u ? index.x : groups - 1u;
}

bool is_outside(uint row) { return group_of(row) == groups - 1u && wide_index(row, index_words) != uvec2(0xFFFFFFFFu); }

/// The sum of `own` over the invocations before this one.
uint sum_before(uint own) {
  totals[gl_LocalInvocationID.x] = own;
  barrier();
  uint before = 0u;
  for (uint i = 0u; i < gl_LocalInvocationID.x; ++i) before += totals[i];
  barrier();
  return before;
}

/// Waits until all invocations see what each has written.
void meet() {
  memoryBarrierBuffer();
  barrier();
}

/// The stretch of so many items that this invocation has.
uvec2 stretch_of(uint items) {
  const uint each = (items + gl_WorkGroupSize.x - 1u) / gl_WorkGroupSize.x;
  const uint begin = min(gl_LocalInvocationID.x * each, items);
  return uvec2(begin, min(begin + each, items));
}

void sum_up(uint cells) {
  const uvec2 own = stretch_of(cells);
  uint sum = 0u;
  for (uint i = own.x; i < own.y; ++i) sum += places[i];
  uint before = sum_before(sum);
  for (uint i = own.x; i < own.y; ++i) {
    const uint here = places[i];
    places[i] = before;
    before += here;
  }
}

/// Where a group ends, once all rows are placed: there its last chunk would go on.
uint end_of(uint group) { return places[group * chunks + chunks - 1u]; }
uint begin_of(uint group) { return group == 0u ? 0u : end_of(group - 1u); }

void list_tiles() {
  const uvec2 own = stretch_of(groups);
  uint count_of_own = 0u;
  for (uint group = own.x; group < own.y; ++group)
    count_of_own += (end_of(group) - begin_of(group) + height - 1u) / height;
  uint tile = sum_before(count_of_own);
  for (uint group = own.x; group < own.y; ++group) {
    const uint of_group = group < groups - 1u ? group : NO_EXPERT, end = end_of(group);
    for (uint first = begin_of(group); first < end; first += height)
      expert_tiles[tile++] = ExpertTile(of_group, first, min(height, end - first));
  }
  if (gl_LocalInvocationID.x != gl_WorkGroupSize.x - 1u) return;
  for (; tile < tiles; ++tile) expert_tiles[tile] = ExpertTile(NO_EXPERT, 0u, 0u);
}

void main() {
  const uint chunk_number = gl_LocalInvocationID.x, cells = groups * chunks;
  const uint first = min(chunk_number * chunk, count), last = min(first + chunk, count);
  for (uint i = gl_LocalInvocationID.x; i < cells; i += gl_WorkGroupSize.x) places[i] = 0u;
  meet();
  for (uint row = first; row < last; ++row) {
    if (is_outside(row)) fault(node, row, wide_index(row, index_words));
    places[group_of(row) * chunks + chunk_number] += 1u;
  }
  meet();
  sum_up(cells);
  meet();
  for (uint row = first; row < last; ++row) {
    const uint cell = group_of(row) * chunks + chunk_number, place = places[cell];
    places[cell] = place + 1u;
    sorted_rows[place] = row;
  }
  meet();
  list_tiles();
}
