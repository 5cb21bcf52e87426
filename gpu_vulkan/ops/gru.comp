#version 450
// variants: f32 f16 f16_native bf16 f64
// A step of a gated recurrent unit whose reset gate is behind the product with R_h.
#extension GL_GOOGLE_include_directive : require
#define GATES 3
#include "gpu_vulkan/kernels/recurrent/gru.glsl"
#include "gpu_vulkan/kernels/recurrent/step.glsl"

void main() {
  const Place at = place();
  // Memory answers while products are summed.
  COMPUTED h = COMPUTED(0), beside[GATES], inside = COMPUTED(0), sums[GATES];
  bool runs = false;
  if (at.is_mine) {
    runs = is_running(at, step);
    h = multiplied[at.state];
    inside = bias_of(at, 2u, 1u);
    beside[0] = beside_states(at, step, 0u);
    beside[1] = beside_states(at, step, 1u);
    beside[2] = of_input(at, step, 2u) + bias_of(at, 2u, 0u);
  }
  multiply(0u, sums);
  if (!at.is_mine) return;
  if (runs) {
    const COMPUTED z = gate_of(beside[0] + sums[0]), reset = gate_of(beside[1] + sums[1]);
    h = next_state(z, candidate_of(beside[2] + reset * (sums[2] + inside)), h);
  }
  after[at.state] = h;
  write(at, step, runs, h);
}
