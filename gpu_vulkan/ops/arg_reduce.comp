#version 450
// variants: w1 w2 w4 w8
// `lanes` invocations find the extreme of a line, or of a slice of it; a long line is
// done in slices by a first dispatch, and the extremes of its slices by a second.
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/glsl/pack.glsl"

#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/kernels/sort/ordered.glsl"

const uint WHOLE = 0u, FIRST = 1u, SECOND = 2u;
layout(constant_id = 3) const uint stage = WHOLE;
layout(constant_id = 4) const uint encoding = UNSIGNED;
layout(constant_id = 5) const bool smallest = false;
layout(constant_id = 6) const bool select_last = false;
layout(constant_id = 7) const uint index_words = 2;
layout(constant_id = 8) const bool is_packed = false;  // lines are neighbours, and whole packs

layout(push_constant) uniform Block { uint lines, line_length, inner, slices, slice_length; };

// The extreme has the largest rank here and, among equals, the larger number:
// positions are complemented where the first is wanted.
struct Extreme {
  KEY rank;
  uint number;
};

#undef HELD
#define HELD Extreme
Extreme combine(Extreme a, Extreme b, uint how) {
  return before(a.rank, b.rank) || (a.rank == b.rank && a.number < b.number) ? b : a;
}
#include "gpu_vulkan/kernels/rows/lines.glsl"

layout(set = 0, binding = 0) readonly buffer X { STORED x[]; };
layout(set = 0, binding = 0) readonly buffer PackedX { PACKED packed_x[]; };
layout(set = 0, binding = 1) buffer Partials { Extreme partials[]; };  // one for each slice of each line
layout(set = 0, binding = 2) writeonly buffer Y { uint y[]; };

KEY rank_of(KEY key) { return smallest && !is_unordered(key, encoding) ? ~key : key; }

/// The extreme so far and element k, which comes after it.
Extreme with_element(Extreme found, COMPUTED bits, uint k) {
  const KEY rank = rank_of(key_of(bits, encoding));
  const bool is_beaten = select_last ? !before(rank, found.rank) : before(found.rank, rank);
  return is_beaten ? Extreme(rank, select_last ? k : ~k) : found;
}

Extreme extreme_of_slice(uint first, uint begin, uint end) {
  const uint width = is_packed ? PACK : 1u, batch = 4u, stride = lanes * width;
  const uint mine = begin + lane() * width;  // the first of this lane, which is not below the first of all keys
  Extreme found = Extreme(first_key, mine < end && !select_last ? ~mine : 0u);
  for (uint start = mine; start < end; start += batch * stride) {
    PACKED packs[batch];
    COMPUTED single[batch];
    [[unroll]] for (uint b = 0u; b < batch; ++b) {  // all loads are under way before the first is waited for
      const uint k = start + b * stride;
      if (k >= end) continue;
      if (is_packed) packs[b] = packed_x[(first + k) / PACK];
      else single[b] = load(x[first + k * inner]);
    }
    [[unroll]] for (uint b = 0u; b < batch; ++b) {
      const uint k = start + b * stride;
      if (k >= end) continue;
      if (!is_packed) found = with_element(found, single[b], k);
      else
        [[unroll]] for (uint i = 0u; i < PACK; ++i) found = with_element(found, unpack(packs[b], i), k + i);
    }
  }
  return combined(found, 0u);
}

Extreme extreme_of_slices(uint first, uint count) {
  Extreme found = Extreme(first_key, 0u);
  for (uint s = lane(); s < count; s += lanes) found = combine(found, partials[first + s], 0u);
  return combined(found, 0u);
}

void main() {
  const uint cuts = stage == SECOND ? 1u : slices;
  const uint group = group_index(), slice = group % cuts, line = group / cuts * lines_here() + place();
  const bool live = line < lines;
  const uint begin = min(slice * slice_length, line_length);
  const uint end = live ? min(begin + slice_length, line_length) : begin;
  const uint first = live ? line / inner * line_length * inner + line % inner : 0u;
  Extreme found;
  if (stage == SECOND) found = extreme_of_slices(line * slices, live ? slices : 0u);
  else found = extreme_of_slice(first, begin, end);
  if (!live || lane() != 0u) return;
  if (stage == FIRST) {
    partials[line * slices + slice] = found;
    return;
  }
  y[line * index_words] = select_last ? found.number : ~found.number;
  if (index_words == 2u) y[line * 2u + 1u] = 0u;
}
