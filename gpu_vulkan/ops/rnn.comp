#version 450
// variants: f32 f16 f16_native bf16 f64
// A step of a simple recurrent network.
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/kernels/recurrent/rnn.glsl"
#include "gpu_vulkan/kernels/recurrent/step.glsl"

void main() {
  const Place at = place();
  // Memory answers while products are summed.
  COMPUTED h = COMPUTED(0), beside = COMPUTED(0), sums[GATES];
  bool runs = false;
  if (at.is_mine) {
    runs = is_running(at, step);
    h = multiplied[at.state];
    beside = beside_states(at, step, 0u);
  }
  multiply(0u, sums);
  if (!at.is_mine) return;
  if (runs) h = next_state(beside + sums[0]);
  after[at.state] = h;
  write(at, step, runs, h);
}
