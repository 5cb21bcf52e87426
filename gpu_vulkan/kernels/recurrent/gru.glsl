// A gated recurrent unit's state, whatever its reset gate is applied to: gates lie in the order z, r, h.
// The includer defines FIRST_WRITE, a binding, where it has operands of its own.
#ifndef PLUMB_GRU_GLSL
#define PLUMB_GRU_GLSL

#include "gpu_vulkan/kernels/recurrent/sequences.glsl"

#ifndef FIRST_WRITE
#define FIRST_WRITE 5
#endif
layout(set = 0, binding = FIRST_WRITE) writeonly buffer After { COMPUTED after[]; };
layout(set = 0, binding = FIRST_WRITE + 1) writeonly buffer Y { STORED y[]; };
layout(set = 0, binding = FIRST_WRITE + 2) writeonly buffer Last { STORED h_n[]; };

COMPUTED gate_of(COMPUTED z) { return activated(gate_function, clipped(z)); }
COMPUTED candidate_of(COMPUTED z) { return activated(hidden_function, clipped(z)); }
COMPUTED next_state(COMPUTED z, COMPUTED candidate, COMPUTED h) { return (COMPUTED(1) - z) * candidate + z * h; }

/// Writes the results of step `s`: h, 0 where the sequence has ended, and h_n behind the last step.
void write(Place at, uint s, bool runs, COMPUTED h) {
  y[element_at(at, s)] = store(runs ? h : COMPUTED(0));
  if (s + 1u == steps) h_n[at.state] = store(h);
}

#endif
