#version 450
// variants: f32 f16 f16_native bf16 f64
// The rest of a step of a gated recurrent unit: the candidate, from r⊙h, and the state.
#extension GL_GOOGLE_include_directive : require
#define GATES 1
#define FIRST_WRITE 7
#include "gpu_vulkan/kernels/recurrent/gru.glsl"
#include "gpu_vulkan/kernels/recurrent/step.glsl"

layout(set = 0, binding = 5) readonly buffer Before { COMPUTED before[]; };
layout(set = 0, binding = 6) readonly buffer Update { COMPUTED update[]; };

void main() {
  const Place at = place();
  COMPUTED h = COMPUTED(0), z = COMPUTED(0), beside = COMPUTED(0), sums[GATES];
  bool runs = false;
  if (at.is_mine) {
    runs = is_running(at, step);
    h = before[at.state];
    z = update[at.state];
    beside = beside_states(at, step, 2u);
  }
  multiply(2u, sums);
  if (!at.is_mine) return;
  if (runs) h = next_state(z, candidate_of(beside + sums[0]), h);
  after[at.state] = h;
  write(at, step, runs, h);
}
