#version 450
// variants: f32 f16 bf16 f64
// All steps of a gated recurrent unit whose weights stay in registers.
#extension GL_GOOGLE_include_directive : require
#define GATES 3
#include "gpu_vulkan/kernels/recurrent/gru.glsl"
#include "gpu_vulkan/kernels/recurrent/resident.glsl"

void main() {
  const Place at = place();
  const uint local = gl_LocalInvocationID.x;
  const bool is_linear = is_set(LINEAR_BEFORE_RESET);
  COMPUTED h = at.is_mine ? before[at.state] : COMPUTED(0), input_ahead = input_of_line(at, 0u);
  COMPUTED wb[GATES], rb[GATES];
  [[unroll]] for (uint g = 0u; g < GATES; ++g) {
    wb[g] = at.is_mine ? bias_of(at, g, 0u) : COMPUTED(0);
    rb[g] = at.is_mine ? bias_of(at, g, 1u) : COMPUTED(0);
  }
  begin(at, h);
  for (uint s = 0u; s < steps; ++s) {
    const bool runs = at.is_mine && is_running(at, s);
    beside[local] = input_ahead;
    input_ahead = input_of_line(at, s + 1u);
    of_states[local] = product();
    barrier();
    COMPUTED z = COMPUTED(0), reset = COMPUTED(0);
    if (runs) {
      z = gate_of((beside[at.unit] + (wb[0] + rb[0])) + of_states[at.unit]);
      reset = gate_of((beside[width + at.unit] + (wb[1] + rb[1])) + of_states[width + at.unit]);
    }
    if (!is_linear) {  // R_h is multiplied with r⊙h, which is not known before
      if (at.is_mine) state[at.unit / 4u][at.unit % 4u] = reset * h;
      barrier();
      of_states[local] = product();
      barrier();
    }
    if (runs) {
      const COMPUTED input_of = beside[2u * width + at.unit], sum = of_states[2u * width + at.unit];
      const COMPUTED operand =
          is_linear ? (input_of + wb[2]) + reset * (sum + rb[2]) : (input_of + (wb[2] + rb[2])) + sum;
      h = next_state(z, candidate_of(operand), h);
    }
    if (at.is_mine) {
      write(at, s, runs, h);
      state[at.unit / 4u][at.unit % 4u] = h;
    }
    barrier();
  }
}
