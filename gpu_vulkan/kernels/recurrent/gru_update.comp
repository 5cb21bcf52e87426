#version 450
// variants: f32 f16 bf16 f64
// The rest of a step of a gated recurrent unit: the candidate, from r⊙h, and the state.
#extension GL_GOOGLE_include_directive : require
#define GATES 1
#include "gpu_vulkan/kernels/recurrent/step.glsl"

layout(set = 0, binding = 5) readonly buffer Before { COMPUTED before[]; };
layout(set = 0, binding = 6) readonly buffer Update { COMPUTED update[]; };
layout(set = 0, binding = 7) writeonly buffer After { COMPUTED after[]; };
layout(set = 0, binding = 8) writeonly buffer Y { STORED y[]; };
layout(set = 0, binding = 9) writeonly buffer Last { STORED h_n[]; };

void main() {
  COMPUTED sums[GATES];
  const Place at = multiply(2u, sums);
  if (!at.is_mine) return;
  COMPUTED h = before[at.state];
  if (is_running(at)) {
    const COMPUTED z = update[at.state];
    const COMPUTED candidate = activated(hidden_function, clipped(beside_states(at, 2u) + sums[0]));
    h = (COMPUTED(1) - z) * candidate + z * h;
  }
  y[element_at(at)] = store(is_running(at) ? h : COMPUTED(0));
  after[at.state] = h;
  if (step + 1u == steps) h_n[at.state] = store(h);
}
