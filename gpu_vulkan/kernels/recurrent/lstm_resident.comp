#version 450
// variants: f32 f16 bf16 f64
// All steps of a long short-term memory whose weights stay in registers.
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/kernels/recurrent/lstm.glsl"
#include "gpu_vulkan/kernels/recurrent/resident.glsl"

void main() {
  const Place at = place();
  COMPUTED h = at.is_mine ? before[at.state] : COMPUTED(0), c = at.is_mine ? cell[at.state] : COMPUTED(0);
  COMPUTED bias_of_gates[GATES], input_ahead = input_of_line(at, 0u);
  [[unroll]] for (uint g = 0u; g < GATES; ++g)
    bias_of_gates[g] = at.is_mine ? bias_of(at, g, 0u) + bias_of(at, g, 1u) : COMPUTED(0);
  begin(at, h);
  for (uint s = 0u; s < steps; ++s) {
    beside[gl_LocalInvocationID.x] = input_ahead;
    input_ahead = input_of_line(at, s + 1u);
    of_states[gl_LocalInvocationID.x] = product();
    barrier();
    if (at.is_mine) {
      const bool runs = is_running(at, s);
      COMPUTED z[GATES];
      [[unroll]] for (uint g = 0u; g < GATES; ++g) {
        const uint of_gate = g * width + at.unit;
        z[g] = (beside[of_gate] + bias_of_gates[g]) + of_states[of_gate];
      }
      if (runs) go_on(at, z, h, c);
      write(at, s, runs, h, c);
      state[at.unit / 4u][at.unit % 4u] = h;
    }
    barrier();
  }
}
