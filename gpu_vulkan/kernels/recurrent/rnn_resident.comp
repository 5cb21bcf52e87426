#version 450
// variants: f32 f16 bf16 f64
// All steps of a simple recurrent network whose weights stay in registers.
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/kernels/recurrent/rnn.glsl"
#include "gpu_vulkan/kernels/recurrent/resident.glsl"

void main() {
  const Place at = place();
  COMPUTED h = at.is_mine ? before[at.state] : COMPUTED(0), input_ahead = input_of_line(at, 0u);
  const COMPUTED biases = at.is_mine ? bias_of(at, 0u, 0u) + bias_of(at, 0u, 1u) : COMPUTED(0);
  begin(at, h);
  for (uint s = 0u; s < steps; ++s) {
    const COMPUTED input_now = input_ahead;
    input_ahead = input_of_line(at, s + 1u);
    const COMPUTED sum = product();
    barrier();
    if (at.is_mine) {
      const bool runs = is_running(at, s);
      if (runs) h = next_state((input_now + biases) + sum);
      write(at, s, runs, h);
      state[at.unit / 4u][at.unit % 4u] = h;
    }
    barrier();
  }
}
