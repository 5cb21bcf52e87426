#version 450
// variants: w1 w2 w4 w8
// `lanes` invocations find the extreme of a line, or of a slice of it; a long line is
// done in slices by a first dispatch, and the extremes of its slices by a second.
#extension GL_GOOGLE_include_directive : require
#include "index.glsl"
#include "ordered.glsl"

const uint WHOLE = 0u, FIRST = 1u, SECOND = 2u;
layout(constant_id = 3) const uint stage = WHOLE;
layout(constant_id = 4) const uint encoding = UNSIGNED;
layout(constant_id = 5) const bool smallest = false;
layout(constant_id = 6) const bool select_last = false;
layout(constant_id = 7) const uint index_words = 2;

layout(push_constant) uniform Block { uint lines, line_length, inner, slices, slice_length; };

// What is extreme is largest here, and of equals the one with the larger number:
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
#include "lines.glsl"

layout(set = 0, binding = 0) readonly buffer X { WORD x[]; };
layout(set = 0, binding = 1) buffer Partials { Extreme partials[]; };  // of each slice of each line
layout(set = 0, binding = 2) writeonly buffer Y { uint y[]; };

KEY rank_of(KEY key) { return smallest && !is_unordered(key, encoding) ? ~key : key; }

Extreme extreme_of_slice(uint first, uint begin, uint end) {
  Extreme found = Extreme(first_key, 0u);
  for (uint k = begin + lane(); k < end; k += lanes) {
#if defined(VARIANT_w8)
    const KEY key = key_of(x[first + k * inner], encoding);
#else
    const KEY key = key_of(uint(x[first + k * inner]), encoding);
#endif
    found = combine(found, Extreme(rank_of(key), select_last ? k : ~k), 0u);
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
