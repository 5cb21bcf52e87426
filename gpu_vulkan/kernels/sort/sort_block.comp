#version 450
// variants: w1 w2 w4 w8
// Sorts runs of `slots` elements in shared memory by a bitonic network; short lines share
// a workgroup, long ones consist of several runs, which sort_merge.comp merges.
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/kernels/sort/sorted.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 3) const uint slots = 2;      // entries per run, a power of two
layout(constant_id = 4) const uint runs_here = 1;  // a power of two
layout(constant_id = 5) const uint encoding = UNSIGNED;
layout(constant_id = 6) const bool descending = false;
layout(constant_id = 7) const bool by_index = false;  // sorts entries_in by their indices alone

const uint all_slots = slots * runs_here;
#include "gpu_vulkan/kernels/sort/bitonic.glsl"

/// Element k of a line; behind the end of the line, what comes after every element.
Entry read(uint line, uint k) {
  if (line >= lines || k >= count) return last_entry();
  if (by_index) return Entry(first_key, entries_in[line * count + k].index);
  return Entry(rank_at(line, k, encoding, descending), k);
}

void main() {
  const uint first_run = group_index() * runs_here, thread = gl_LocalInvocationID.x, threads = gl_WorkGroupSize.x;
  for (uint i = thread; i < all_slots; i += threads) {  // neighbouring lines side by side, as in memory
    const uint run = i % runs_here, k = i / runs_here, number = first_run + run;
    hold(run * slots + k, read(number / runs, number % runs * slots + k));
  }
  for (uint size = 2u; size <= slots; size *= 2u)
    for (uint apart = size / 2u; apart > 0u; apart /= 2u) {
      barrier();
      for (uint i = thread; i < all_slots / 2u; i += threads) order_pair(i, size, apart);
    }
  barrier();
  for (uint i = thread; i < all_slots; i += threads) {
    const uint run = i % runs_here, k = i / runs_here, number = first_run + run;
    const uint line = number / runs, r = number % runs;
    if (line < lines && k < held_by(r)) emit(line, r, runs, min(span, kept), k, held(run * slots + k));
  }
}
