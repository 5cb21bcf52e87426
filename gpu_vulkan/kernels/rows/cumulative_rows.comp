#version 450
// variants: f32 f16 bf16 i32 u32
// A scan of rows of neighbouring elements, tile after tile of lanes·units packs, each of which is read once. An
// invocation folds its packs, a subgroup scans the folds by shuffles, and what subgroups fold goes
// through shared memory, where every subgroup scans it for itself: one barrier a tile.
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/glsl/pack.glsl"

#include "gpu_vulkan/glsl/index.glsl"

const uint SUM = 0u, MEAN = 1u, PRODUCT = 2u, MAX = 3u, MIN = 4u, L1 = 5u, SUM_SQUARE = 6u, L2 = 7u, LOG_SUM = 8u,
           LOG_SUM_EXP = 9u;  // as in reduce.comp
layout(constant_id = 6) const uint function = SUM;
layout(constant_id = 7) const bool exclusive = false;
layout(constant_id = 8) const bool reverse = false;

layout(push_constant) uniform Block { uint rows, row_units; };

#if defined(VARIANT_i32) || defined(VARIANT_u32)
#include "gpu_vulkan/kernels/rows/reduce_integer.glsl"
#else
#include "gpu_vulkan/kernels/rows/reduce_float.glsl"
#endif
#include "gpu_vulkan/kernels/rows/rows.glsl"

layout(set = 0, binding = 0) readonly buffer PackedX { PACKED packed_x[]; };
layout(set = 0, binding = 1) writeonly buffer PackedY { PACKED packed_y[]; };

const uint together = lanes < subgroup_size ? lanes : subgroup_size;  // lanes of a row in a subgroup
const uint parts = lanes / together;                                  // subgroups of a row
const uint folds_of_row = units * parts;
shared HELD folds[2][units * (gl_WorkGroupSize.x / together)];

/// Number of this invocation among those of its subgroup that work on its row, and of the first of them.
uint place() { return gl_SubgroupInvocationID % together; }
uint from() { return gl_SubgroupInvocationID - place(); }

/// The inclusive scan of `mine` over `many` invocations, which are neighbours in a subgroup.
HELD scanned(HELD mine, uint place, uint many) {
  [[unroll]] for (uint reach = 1u; reach < many; reach *= 2u) {
    const HELD other = subgroupShuffle(mine, gl_SubgroupInvocationID - (place >= reach ? reach : 0u));
    if (place >= reach) mine = combine(other, mine, function);
  }
  return mine;
}

/// The folds of all that is before each unit's subgroup in the tile, and of the tile, from all subgroups' folds.
void scan_folds(HELD mine[units], uint turn, out HELD before[units], out HELD all) {
  if (parts == 1u) {
    all = neutral(function);
    [[unroll]] for (uint u = 0u; u < units; ++u) {
      before[u] = all;
      all = combine(all, subgroupShuffle(mine[u], from() + together - 1u), function);
    }
    return;
  }
  const uint first = invocation() / lanes * folds_of_row, part = lane() / together;
  if (place() == together - 1u)
    [[unroll]] for (uint u = 0u; u < units; ++u) folds[turn][first + u * parts + part] = mine[u];
  barrier();
  if (folds_of_row <= subgroup_size) {
    const uint id = gl_SubgroupInvocationID;
    const HELD found = scanned(folds[turn][first + min(id, folds_of_row - 1u)], id, subgroup_size);
    all = subgroupShuffle(found, folds_of_row - 1u);
    [[unroll]] for (uint u = 0u; u < units; ++u) {
      const uint n = u * parts + part;
      const HELD earlier = subgroupShuffle(found, max(n, 1u) - 1u);
      before[u] = n == 0u ? neutral(function) : earlier;
    }
  } else {
    all = neutral(function);
    [[unroll]] for (uint u = 0u; u < units; ++u)
      for (uint p = 0u; p < parts; ++p) {
        if (p == part) before[u] = all;
        all = combine(all, folds[turn][first + u * parts + p], function);
      }
  }
}

uint unit_in_memory(uint k) { return reverse ? row_units - 1u - k : k; }
COMPUTED element(PACKED p, uint i) { return unpack(p, reverse ? PACK - 1u - i : i); }

void main() {
  const uint first = min(row(), rows - 1u) * row_units;
  const bool live = row() < rows;
  HELD carried = neutral(function);
  uint turn = 0u;
  for (uint tile = 0u; tile < row_units; tile += lanes * units) {
    PACKED packs[units];
    HELD mine[units], in_subgroup[units], before[units], all;
    [[unroll]] for (uint u = 0u; u < units; ++u)
      if (has_unit(u, row_units - tile)) packs[u] = packed_x[first + unit_in_memory(tile + unit_of(u))];
    [[unroll]] for (uint u = 0u; u < units; ++u) {
      mine[u] = neutral(function);
      if (has_unit(u, row_units - tile))
        for (uint i = 0u; i < PACK; ++i)
          mine[u] = combine(mine[u], term(element(packs[u], i), function, mine[u]), function);
      mine[u] = scanned(mine[u], place(), together);
      const HELD earlier = subgroupShuffle(mine[u], place() > 0u ? gl_SubgroupInvocationID - 1u : from());
      in_subgroup[u] = place() == 0u ? neutral(function) : earlier;
    }
    scan_folds(mine, turn, before, all);
    [[unroll]] for (uint u = 0u; u < units; ++u) {
      if (!live || !has_unit(u, row_units - tile)) continue;
      HELD running = combine(combine(carried, before[u], function), in_subgroup[u], function);
      PACKED scan;
      for (uint i = 0u; i < PACK; ++i) {
        const HELD next = combine(running, term(element(packs[u], i), function, running), function);
        pack(scan, reverse ? PACK - 1u - i : i, finish(exclusive ? running : next, 1u));
        running = next;
      }
      packed_y[first + unit_in_memory(tile + unit_of(u))] = scan;
    }
    carried = combine(carried, all, function);
    turn = 1u - turn;
  }
}
