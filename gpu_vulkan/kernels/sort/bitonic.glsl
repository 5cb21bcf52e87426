// Runs of entries in shared memory, sorted by a bitonic network. Before it: sorted.glsl, and the constants
// `slots` of a run, a power of two, and `all_slots` of a workgroup.
#ifndef PLUMB_BITONIC_GLSL
#define PLUMB_BITONIC_GLSL

shared KEY ranks[all_slots];
shared uint places[all_slots];

Entry held(uint slot) { return Entry(ranks[slot], places[slot]); }
void hold(uint slot, Entry entry) {
  ranks[slot] = entry.rank;
  places[slot] = entry.index;
}

/// An entry that comes after every element.
Entry last_entry() { return Entry(last_key, 0xFFFFFFFFu); }

/// Orders the two slots that pair number i of a step joins: of blocks of `size`
/// slots, mirrored slots in the first step, slots `apart` in those after it.
void order_pair(uint i, uint size, uint apart) {
  const bool mirrored = 2u * apart == size;
  const uint offset = i & (apart - 1u), start = 2u * (i - offset);
  const uint a = start + offset, b = start + (mirrored ? size - 1u - offset : apart + offset);
  const Entry first = held(a), second = held(b);
  if (precedes(first, second)) return;
  hold(a, second);
  hold(b, first);
}

#endif
