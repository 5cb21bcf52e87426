#version 450
// variants: f32 f16 bf16 f64
// The gates of a step of a gated recurrent unit: z, and r⊙h, of which R_h makes the candidate.
#extension GL_GOOGLE_include_directive : require
#define GATES 2
#include "gpu_vulkan/kernels/recurrent/step.glsl"

layout(set = 0, binding = 5) writeonly buffer Update { COMPUTED update[]; };
layout(set = 0, binding = 6) writeonly buffer Reset { COMPUTED reset[]; };

void main() {
  COMPUTED sums[GATES];
  const Place at = multiply(0u, sums);
  if (!at.is_mine) return;
  if (!is_running(at)) {
    update[at.state] = reset[at.state] = COMPUTED(0);  // nobody looks at them, but they are multiplied
    return;
  }
  update[at.state] = activated(gate_function, clipped(beside_states(at, 0u) + sums[0]));
  const COMPUTED gate = activated(gate_function, clipped(beside_states(at, 1u) + sums[1]));
  reset[at.state] = gate * multiplied[at.state];
}
