#version 450
// variants: w1 w2 w4
// The first `kept` of runs of neighbouring elements, in order: what sort_block.comp makes of shorter runs. A run is
// read once and stays in registers, as ranks; a bisection of ranks finds one to which there are enough elements and
// not many more, and those alone are sorted. Either a workgroup or a subgroup holds a run.
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "gpu_vulkan/glsl/index.glsl"
#define FIRST_SORTED_CONSTANT 6
#include "gpu_vulkan/kernels/sort/sorted.glsl"

#if defined(VARIANT_w1)
#define WIDTH 1
#elif defined(VARIANT_w2)
#define WIDTH 2
#else
#define WIDTH 4
#endif
#define PACK (16u / WIDTH)

#define AGREES_OTHERWISE
#include "gpu_vulkan/kernels/rows/rows.glsl"

layout(constant_id = 8) const uint slots = 2;  // entries per run, a power of two, at least as many as it keeps
layout(constant_id = 9) const uint encoding = UNSIGNED;
layout(constant_id = 10) const bool descending = false;

layout(set = 0, binding = 0) readonly buffer PackedX { uvec4 packed_x[]; };

const uint runs_here = gl_WorkGroupSize.x / lanes;
const uint all_slots = slots * runs_here;
#include "gpu_vulkan/kernels/sort/bitonic.glsl"

const uint each = units * width;  // elements of a lane, 32 at most
uint rank[each];                  // elements that are not there have the rank of those that come last

shared uint gathered[runs_here];

const uint SUM = 0u, LEAST = 1u, MOST = 2u;
uint combined(uint a, uint b, uint how) { return how == SUM ? a + b : how == LEAST ? min(a, b) : max(a, b); }
uint combined_in_subgroup(uint x, uint how) {
  return how == SUM ? subgroupAdd(x) : how == LEAST ? subgroupMin(x) : subgroupMax(x);
}

// In turns: one agreement may still be read while the next is written.
const uint parts = lanes / subgroup_size;
shared uint agreed[2][parts];
uint turn = 0u;

/// `mine` combined over all lanes of this run; every one of them must come here.
uint agreed_on(uint mine, uint how) {
  mine = combined_in_subgroup(mine, how);
  if (parts == 1u) return mine;
  turn ^= 1u;
  if (gl_SubgroupInvocationID == 0u) agreed[turn][gl_SubgroupID] = mine;
  barrier();
  mine = how == LEAST ? last_key : 0u;
  for (uint p = gl_SubgroupInvocationID; p < parts; p += subgroup_size) mine = combined(mine, agreed[turn][p], how);
  return combined_in_subgroup(mine, how);
}

/// All that the lanes of this run wrote to shared memory is there.
void wait_for_run() {
  if (lanes > subgroup_size) barrier();
  else subgroupBarrier();
}

/// Where in its run element e of this lane is.
uint place_of(uint e) { return unit_of(e / width) * width + e % width; }

uint element_of(uvec4 pack, uint i) {
#if WIDTH == 4
  return pack[i];
#else
  return bitfieldExtract(pack[i * WIDTH / 4u], int(i * WIDTH % 4u * 8u), int(8u * WIDTH));
#endif
}

/// Reads `length` elements from `first` on; the least rank among those of this lane.
uint read(uint first, uint length) {
  uint least = last_key;
  [[unroll]] for (uint u = 0u; u < units; ++u) {
    const bool there = has_unit(u, length / width);
    uvec4 pack = uvec4(0u);
    if (is_packed && there) pack = packed_x[first / width + unit_of(u)];
    [[unroll]] for (uint i = 0u; i < width; ++i) {
      uint mine = last_key;
      if (there) {
        const uint bits = is_packed ? element_of(pack, i) : uint(x[first + unit_of(u)]);
        mine = rank_of(bits, encoding, descending);
      }
      rank[u * width + i] = mine;
      least = min(least, mine);
    }
  }
  return least;
}

/// Elements of the run whose rank is at most `limit`.
uint count_to(uint limit) {
  uint mine = 0u;
  [[unroll]] for (uint e = 0u; e < each; ++e) mine += uint(rank[e] <= limit);
  return agreed_on(mine, SUM);
}

/// Those of this rank at places before `end`.
uint count_equal(uint limit, uint end) {
  uint mine = 0u;
  [[unroll]] for (uint e = 0u; e < each; ++e) mine += uint(rank[e] == limit && place_of(e) < end);
  return agreed_on(mine, SUM);
}

/// A rank that is not before that of element number `wanted`, by the first element of each lane alone; `low` and
/// `high` are the first and the last of those.
uint bound_by_lanes(uint least, uint wanted, uint low, uint high) {
  if (wanted > lanes) return last_key;
  uint found = lanes;
  while (low < high && found > wanted + wanted / 4u) {
    const uint middle = low + (high - low) / 2u, count = agreed_on(uint(least <= middle), SUM);
    if (count < wanted) {
      low = middle + 1u;
    } else {
      high = middle;
      found = count;
    }
  }
  return high;
}

/// The elements before a rank, and of that rank those before a place: `wanted` or more, no more than `slots`.
struct Cut {
  uint rank, place;
};

Cut find_cut(uint least, uint wanted) {
  uint low = agreed_on(least, LEAST), high = bound_by_lanes(least, wanted, low, agreed_on(least, MOST));
  uint count = count_to(high);
  while (low < high && count > slots) {
    const uint middle = low + (high - low) / 2u, found = count_to(middle);
    if (found < wanted) {
      low = middle + 1u;
    } else {
      high = middle;
      count = found;
    }
  }
  if (count <= slots) return Cut(high, 0xFFFFFFFFu);
  const uint before = high == 0u ? 0u : count_to(high - 1u);  // fewer than wanted
  uint begin = 0u, end = lanes * each;
  while (count > slots) {
    const uint middle = begin + (end - begin) / 2u, found = before + count_equal(high, middle);
    if (found < wanted) {
      begin = middle;
    } else {
      end = middle;
      count = found;
    }
  }
  return Cut(high, end);
}

/// Brings what a cut leaves of the run to its slots from `base` on; how many those are.
uint gather(Cut cut, uint least, uint line, uint start, uint length, uint base) {
  const uint here = base / slots;
  if (lane() == 0u) gathered[here] = 0u;
  wait_for_run();
  if (least <= cut.rank) {
    uint chosen = 0u;
    [[unroll]] for (uint e = 0u; e < each; ++e)
      if (rank[e] < cut.rank || (rank[e] == cut.rank && place_of(e) < cut.place)) chosen |= 1u << e;
    for (; chosen != 0u; chosen &= chosen - 1u) {
      const uint place = place_of(findLSB(chosen)), k = start + place;
      if (place >= length) break;  // places beyond the line come last in a lane
      hold(base + atomicAdd(gathered[here], 1u), Entry(rank_at(line, k, encoding, descending), k));
    }
  }
  wait_for_run();
  return gathered[here];
}

/// Sorts `count` entries from slot `base` on. Subgroups that hold a run each sort all of their slots, so that they
/// come to equally many barriers: lavapipe (Mesa 26) takes those of a subgroup for those of its workgroup.
void sort(uint count, uint base) {
  const uint used = lanes == subgroup_size ? slots : count < 2u ? 2u : 2u << findMSB(count - 1u);
  for (uint i = count + lane(); i < used; i += lanes) hold(base + i, last_entry());
  for (uint size = 2u; size <= used; size *= 2u)
    for (uint apart = size / 2u; apart > 0u; apart /= 2u) {
      wait_for_run();
      for (uint i = lane(); i < used / 2u; i += lanes) order_pair(base / 2u + i, size, apart);
    }
  wait_for_run();
}

void main() {
  const uint number = min(row(), lines * runs - 1u), line = number / runs, r = number % runs;
  const uint start = r * span, wanted = held_by(r), base = invocation() / lanes * slots;
  const uint length = min(span, count - start), least = read(line * line_length + start, length);
  const Cut cut = find_cut(least, wanted);
  sort(gather(cut, least, line, start, length, base), base);
  if (row() >= lines * runs) return;
  for (uint i = lane(); i < wanted; i += lanes) emit(line, r, runs, min(span, kept), i, held(base + i));
}
