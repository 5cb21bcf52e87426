// Code common to sort_block.comp, sort_select.comp and sort_merge.comp: entries of a line, in the order of
// (rank, index), so that no two are equal and every sort of them is stable. A buffer
// that a stage does not use is bound to another that it uses in that way.
#ifndef PLUMB_SORTED_GLSL
#define PLUMB_SORTED_GLSL

#include "gpu_vulkan/kernels/sort/ordered.glsl"

struct Entry {
  KEY rank;
  uint index;  // in the line
};

bool precedes(Entry a, Entry b) { return before(a.rank, b.rank) || (a.rank == b.rank && a.index < b.index); }

#ifndef FIRST_SORTED_CONSTANT
#define FIRST_SORTED_CONSTANT 1
#endif
layout(constant_id = FIRST_SORTED_CONSTANT) const bool to_results = false;  // not to entries
layout(constant_id = FIRST_SORTED_CONSTANT + 1) const uint index_words = 2;

layout(set = 0, binding = 0) readonly buffer X { WORD x[]; };
layout(set = 0, binding = 1) readonly buffer EntriesIn { Entry entries_in[]; };
layout(set = 0, binding = 2) writeonly buffer EntriesOut { Entry entries_out[]; };
layout(set = 0, binding = 3) writeonly buffer Values { WORD values[]; };
layout(set = 0, binding = 4) writeonly buffer Indices { uint indices[]; };
layout(push_constant) uniform Block {
  uint lines, inner;
  uint line_length;  // length of a line of x
  uint count;        // entries of a line that are being sorted
  uint kept;         // the first of a line that are wanted
  uint span;         // entries that a run was made of, of which it holds the first `kept`
  uint runs;         // runs per line
};

/// Entries that run r holds.
uint held_by(uint r) { return r < runs ? min(min(span, count - r * span), kept) : 0u; }

uint place_in_x(uint line, uint k) { return (line / inner * line_length + k) * inner + line % inner; }

/// The rank of an element by its bits.
KEY rank_of(HELD bits, uint encoding, bool descending) {
  const KEY key = key_of(bits, encoding);
  return descending ? ~key : key;
}

KEY rank_at(uint line, uint k, uint encoding, bool descending) {
  return rank_of(HELD(x[place_in_x(line, k)]), encoding, descending);
}

/// Result or entry number k of a run of which a line has `many`, each `stride` apart.
void emit(uint line, uint run, uint many, uint stride, uint k, Entry entry) {
  if (!to_results) {
    entries_out[(line * many + run) * stride + k] = entry;
    return;
  }
  const uint at = (line / inner * kept + k) * inner + line % inner;
  values[at] = x[place_in_x(line, entry.index)];
  indices[at * index_words] = entry.index;
  if (index_words == 2u) indices[at * 2u + 1u] = 0u;
}

#endif
