#version 450
// variants: f32 f16 bf16 f64 i64 i32 u32 i16 i8 u8 u16 c64 c128
// A scan of lines in tiles: each of `lanes` invocations folds `each` neighbouring
// elements of a tile, the lanes scan their folds in shared memory, and what the tile
// makes is carried to the next. Lines that are few and long are cut into slices:
// a first dispatch folds each, and a second scans each, starting with the fold of those
// before it, which every workgroup makes for itself. No workgroup waits for another, and
// the order of all operations depends on the shape only.
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/glsl/index.glsl"

const uint SUM = 0u, MEAN = 1u, PRODUCT = 2u, MAX = 3u, MIN = 4u, L1 = 5u, SUM_SQUARE = 6u, L2 = 7u, LOG_SUM = 8u,
           LOG_SUM_EXP = 9u;  // as in reduce.comp
const uint WHOLE = 0u, FIRST = 1u, SECOND = 2u;
layout(constant_id = 3) const uint stage = WHOLE;
layout(constant_id = 4) const uint function = SUM;
layout(constant_id = 5) const bool exclusive = false;
layout(constant_id = 6) const bool reverse = false;

layout(push_constant) uniform Block { uint lines, line_length, inner, slices, slice_length; };

#if defined(VARIANT_c64) || defined(VARIANT_c128)
#include "gpu_vulkan/kernels/rows/scan_complex.glsl"
#elif defined(VARIANT_f32) || defined(VARIANT_f16) || defined(VARIANT_bf16) || defined(VARIANT_f64)
#include "gpu_vulkan/glsl/element.glsl"
#include "gpu_vulkan/kernels/rows/reduce_float.glsl"
#else
#include "gpu_vulkan/glsl/element.glsl"
#include "gpu_vulkan/kernels/rows/reduce_integer.glsl"
#endif
#include "gpu_vulkan/kernels/rows/lines.glsl"

layout(set = 0, binding = 0) readonly buffer X { STORED x[]; };
layout(set = 0, binding = 1) buffer Partials { HELD partials[]; };  // one for each slice of each line
layout(set = 0, binding = 2) writeonly buffer Y { STORED y[]; };

const uint each = 4;

/// `mine` combined over the lanes of a line before this one; `all` is that over all of its lanes.
HELD combined_before(HELD mine, out HELD all) {
  const uint apart = lines_fastest ? lines_here() : 1u;  // invocations of neighbouring lanes
  const uint start = lines_fastest ? place() : place() * lanes;
  barrier();  // earlier contents of held[] have been read
  held[gl_LocalInvocationID.x] = mine;
  for (uint reach = 1u; reach < lanes; reach *= 2u) {
    barrier();
    HELD sum = held[gl_LocalInvocationID.x];
    if (lane() >= reach) sum = combine(held[gl_LocalInvocationID.x - reach * apart], sum, function);
    barrier();
    held[gl_LocalInvocationID.x] = sum;
  }
  barrier();
  all = held[start + (lanes - 1u) * apart];
  if (lane() == 0u) return neutral(function);
  return held[gl_LocalInvocationID.x - apart];
}

uint position(uint first, uint k) { return first + (reverse ? line_length - 1u - k : k) * inner; }

void scan(uint first, uint begin, uint end, HELD carried) {
  for (uint tile = 0u; tile < slice_length; tile += lanes * each) {
    const uint start = min(begin + tile + lane() * each, end), stop = min(start + each, end);
    HELD mine = neutral(function), all;
    for (uint k = start; k < stop; ++k)
      mine = combine(mine, term(load(x[position(first, k)]), function, mine), function);
    HELD running = combine(carried, combined_before(mine, all), function);
    carried = combine(carried, all, function);
    for (uint k = start; k < stop; ++k) {
      const uint at = position(first, k);
      const HELD next = combine(running, term(load(x[at]), function, running), function);
      y[at] = store(finish(exclusive ? running : next, 1u));
      running = next;
    }
  }
}

void main() {
  const uint group = group_index(), slice = group % slices, line = group / slices * lines_here() + place();
  const bool live = line < lines;
  const uint begin = min(slice * slice_length, line_length);
  const uint end = live ? min(begin + slice_length, line_length) : begin;
  const uint first = live ? line / inner * line_length * inner + line % inner : 0u;
  HELD carried = neutral(function);
  if (stage == FIRST) {
    for (uint k = begin + lane(); k < end; k += lanes)
      carried = combine(carried, term(load(x[position(first, k)]), function, carried), function);
    carried = combined(carried, function);
    if (live && lane() == 0u) partials[line * slices + slice] = carried;
    return;
  }
  if (stage == SECOND) {
    for (uint s = lane(); live && s < slice; s += lanes)
      carried = combine(carried, partials[line * slices + s], function);
    carried = combined(carried, function);
  }
  scan(first, begin, end, carried);
}
