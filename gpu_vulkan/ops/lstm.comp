#version 450
// variants: f32 f16 f16_native bf16 f64
// A step of a long short-term memory.
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/kernels/recurrent/lstm.glsl"
#include "gpu_vulkan/kernels/recurrent/step.glsl"

void main() {
  const Place at = place();
  // Memory answers while products are summed.
  COMPUTED h = COMPUTED(0), c = COMPUTED(0), z[GATES], sums[GATES];
  bool runs = false;
  if (at.is_mine) {
    runs = is_running(at, step);
    h = multiplied[at.state];
    c = cell[at.state];
    [[unroll]] for (uint g = 0u; g < GATES; ++g) z[g] = beside_states(at, step, g);
  }
  multiply(0u, sums);
  if (!at.is_mine) return;
  [[unroll]] for (uint g = 0u; g < GATES; ++g) z[g] += sums[g];
  if (runs) go_on(at, z, h, c);
  cell[at.state] = c;
  after[at.state] = h;
  write(at, step, runs, h, c);
}
