#version 450
// variants: f32 f16 bf16 f64
// A step of a simple recurrent network.
#extension GL_GOOGLE_include_directive : require
#define GATES 1
#include "gpu_vulkan/kernels/recurrent/step.glsl"

layout(set = 0, binding = 5) writeonly buffer After { COMPUTED after[]; };
layout(set = 0, binding = 6) writeonly buffer Y { STORED y[]; };
layout(set = 0, binding = 7) writeonly buffer Last { STORED h_n[]; };

void main() {
  COMPUTED sums[GATES];
  const Place at = multiply(0u, sums);
  if (!at.is_mine) return;
  COMPUTED h = multiplied[at.state];
  if (is_running(at)) h = activated(gate_function, clipped(beside_states(at, 0u) + sums[0]));
  y[element_at(at)] = store(is_running(at) ? h : COMPUTED(0));
  after[at.state] = h;
  if (step + 1u == steps) h_n[at.state] = store(h);
}
