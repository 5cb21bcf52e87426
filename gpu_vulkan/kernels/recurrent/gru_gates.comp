#version 450
// variants: f32 f16 f16_native bf16 f64
// The gates of a step of a gated recurrent unit: z, and r⊙h, of which R_h makes the candidate.
#extension GL_GOOGLE_include_directive : require
#define GATES 2
#include "gpu_vulkan/kernels/recurrent/step.glsl"

layout(set = 0, binding = 5) writeonly buffer Update { COMPUTED update[]; };
layout(set = 0, binding = 6) writeonly buffer Reset { COMPUTED reset[]; };

void main() {
  const Place at = place();
  COMPUTED h = COMPUTED(0), beside[GATES], sums[GATES];
  if (at.is_mine) {
    h = multiplied[at.state];
    [[unroll]] for (uint g = 0u; g < GATES; ++g) beside[g] = beside_states(at, step, g);
  }
  multiply(0u, sums);
  if (!at.is_mine) return;
  if (!is_running(at, step)) {
    update[at.state] = reset[at.state] = COMPUTED(0);  // nobody looks at them, but they are multiplied
    return;
  }
  update[at.state] = activated(gate_function, clipped(beside[0] + sums[0]));
  reset[at.state] = activated(gate_function, clipped(beside[1] + sums[1])) * h;
}
