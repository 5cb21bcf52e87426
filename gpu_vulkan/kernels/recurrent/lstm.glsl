// A long short-term memory's cell: gates lie in the order i, o, f, c, peepholes in the order i, o, f.
#ifndef PLUMB_LSTM_GLSL
#define PLUMB_LSTM_GLSL

#define GATES 4
#include "gpu_vulkan/kernels/recurrent/sequences.glsl"

layout(set = 0, binding = 5) readonly buffer Peephole { STORED peephole[]; };
layout(set = 0, binding = 6) writeonly buffer After { COMPUTED after[]; };
layout(set = 0, binding = 7) buffer Cell { COMPUTED cell[]; };
layout(set = 0, binding = 8) writeonly buffer Y { STORED y[]; };
layout(set = 0, binding = 9) writeonly buffer LastState { STORED h_n[]; };
layout(set = 0, binding = 10) writeonly buffer LastCell { STORED c_n[]; };
layout(set = 0, binding = 11) writeonly buffer Cells { STORED cells[]; };

const uint I = 0u, O = 1u, F = 2u, C = 3u;

/// A gate that sees the cell.
COMPUTED gate_of(Place at, uint which, COMPUTED z, COMPUTED c) {
  if (is_set(HAS_PEEPHOLE)) z += load(peephole[(at.direction * 3u + which) * width + at.unit]) * c;
  return activated(gate_function, clipped(z));
}

/// The cell and the state behind them, from the sums of gates.
void go_on(Place at, COMPUTED z[GATES], inout COMPUTED h, inout COMPUTED c) {
  const COMPUTED i = gate_of(at, I, z[I], c);
  const COMPUTED f = is_set(INPUT_FORGET) ? COMPUTED(1) - i : gate_of(at, F, z[F], c);
  const COMPUTED candidate = activated(cell_function, clipped(z[C]));
  c = f * c + i * candidate;
  h = gate_of(at, O, z[O], c) * activated(hidden_function, clipped(c));
}

/// Writes the results of step `s`: h and c, 0 where the sequence has ended, and h_n and c_n behind the last step.
void write(Place at, uint s, bool runs, COMPUTED h, COMPUTED c) {
  y[element_at(at, s)] = store(runs ? h : COMPUTED(0));
  if (is_set(CELL_STATES)) cells[element_at(at, s)] = store(runs ? c : COMPUTED(0));
  if (s + 1u != steps) return;
  h_n[at.state] = store(h);
  c_n[at.state] = store(c);
}

#endif
