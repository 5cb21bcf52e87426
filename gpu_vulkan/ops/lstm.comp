#version 450
// variants: f32 f16 bf16 f64
// A step of a long short-term memory: gates lie in the order i, o, f, c, peepholes in the order i, o, f.
#extension GL_GOOGLE_include_directive : require
#define GATES 4
#include "gpu_vulkan/kernels/recurrent/step.glsl"

layout(set = 0, binding = 5) readonly buffer Peephole { STORED peephole[]; };
layout(set = 0, binding = 6) writeonly buffer After { COMPUTED after[]; };
layout(set = 0, binding = 7) buffer Cell { COMPUTED cell[]; };
layout(set = 0, binding = 8) writeonly buffer Y { STORED y[]; };
layout(set = 0, binding = 9) writeonly buffer LastState { STORED h_n[]; };
layout(set = 0, binding = 10) writeonly buffer LastCell { STORED c_n[]; };
layout(set = 0, binding = 11) writeonly buffer Cells { STORED cells[]; };

const uint I = 0u, O = 1u, F = 2u, C = 3u;

/// A gate that sees the cell.
COMPUTED gate(Place at, uint which, COMPUTED sum, COMPUTED c) {
  COMPUTED z = beside_states(at, which) + sum;
  if (is_set(HAS_PEEPHOLE)) z += load(peephole[(at.direction * 3u + which) * width + at.unit]) * c;
  return activated(gate_function, clipped(z));
}

void main() {
  COMPUTED sums[GATES];
  const Place at = multiply(0u, sums);
  if (!at.is_mine) return;
  COMPUTED h = multiplied[at.state], c = cell[at.state];
  if (is_running(at)) {
    const COMPUTED i = gate(at, I, sums[I], c);
    const COMPUTED f = is_set(INPUT_FORGET) ? COMPUTED(1) - i : gate(at, F, sums[F], c);
    const COMPUTED candidate = activated(cell_function, clipped(beside_states(at, C) + sums[C]));
    c = f * c + i * candidate;
    h = gate(at, O, sums[O], c) * activated(hidden_function, clipped(c));
    cell[at.state] = c;
  }
  y[element_at(at)] = store(is_running(at) ? h : COMPUTED(0));
  if (is_set(CELL_STATES)) cells[element_at(at)] = store(is_running(at) ? c : COMPUTED(0));
  after[at.state] = h;
  if (step + 1u != steps) return;
  h_n[at.state] = store(h);
  c_n[at.state] = store(c);
}
