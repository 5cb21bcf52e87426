// A simple recurrent network's state.
#ifndef PLUMB_RNN_GLSL
#define PLUMB_RNN_GLSL

#define GATES 1
#include "gpu_vulkan/kernels/recurrent/sequences.glsl"

layout(set = 0, binding = 5) writeonly buffer After { COMPUTED after[]; };
layout(set = 0, binding = 6) writeonly buffer Y { STORED y[]; };
layout(set = 0, binding = 7) writeonly buffer Last { STORED h_n[]; };

COMPUTED next_state(COMPUTED z) { return activated(gate_function, clipped(z)); }

/// Writes the results of step `s`: h, 0 where the sequence has ended, and h_n behind the last step.
void write(Place at, uint s, bool runs, COMPUTED h) {
  y[element_at(at, s)] = store(runs ? h : COMPUTED(0));
  if (s + 1u == steps) h_n[at.state] = store(h);
}

#endif
