#version 450
// variants: f32 f16 bf16 f64
// A step of a gated recurrent unit whose reset gate is behind the product with R_h.
#extension GL_GOOGLE_include_directive : require
#define GATES 3
#include "gpu_vulkan/kernels/recurrent/step.glsl"

layout(set = 0, binding = 5) writeonly buffer After { COMPUTED after[]; };
layout(set = 0, binding = 6) writeonly buffer Y { STORED y[]; };
layout(set = 0, binding = 7) writeonly buffer Last { STORED h_n[]; };

void main() {
  COMPUTED sums[GATES];
  const Place at = multiply(0u, sums);
  if (!at.is_mine) return;
  COMPUTED h = multiplied[at.state];
  if (is_running(at)) {
    const COMPUTED z = activated(gate_function, clipped(beside_states(at, 0u) + sums[0]));
    const COMPUTED reset = activated(gate_function, clipped(beside_states(at, 1u) + sums[1]));
    const COMPUTED behind = of_input(at, 2u) + bias_of(at, 2u, 0u);
    const COMPUTED candidate =
        activated(hidden_function, clipped(behind + reset * (sums[2] + bias_of(at, 2u, 1u))));
    h = (COMPUTED(1) - z) * candidate + z * h;
  }
  y[element_at(at)] = store(is_running(at) ? h : COMPUTED(0));
  after[at.state] = h;
  if (step + 1u == steps) h_n[at.state] = store(h);
}
