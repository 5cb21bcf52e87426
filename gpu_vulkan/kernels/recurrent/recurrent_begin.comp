#version 450
// variants: f32 f16 bf16 f64
// The first states of a recurrence in what it computes in, and its lengths, held to the number of steps. Where there is
// no step, they are the last states, too.
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/glsl/element.glsl"
#include "gpu_vulkan/glsl/index.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const bool has_h0 = false;
layout(constant_id = 2) const bool has_c0 = false;
layout(constant_id = 3) const bool has_cell = false;
layout(constant_id = 4) const uint index_words = 0;  // 0: every sequence has all steps

layout(set = 0, binding = 0) readonly buffer H0 { STORED h0[]; };
layout(set = 0, binding = 1) readonly buffer C0 { STORED c0[]; };
layout(set = 0, binding = 2) readonly buffer Given { uint indices[]; };
layout(set = 0, binding = 3) writeonly buffer State { COMPUTED state[]; };
layout(set = 0, binding = 4) writeonly buffer Cell { COMPUTED cell[]; };
layout(set = 0, binding = 5) writeonly buffer Lengths { uint lengths[]; };
layout(set = 0, binding = 6) writeonly buffer LastState { STORED h_n[]; };
layout(set = 0, binding = 7) writeonly buffer LastCell { STORED c_n[]; };
layout(push_constant) uniform Block { uint states, batch, steps, node; };
#define FAULTS_BINDING 8
#include "gpu_vulkan/glsl/faults.glsl"
#include "gpu_vulkan/glsl/wide_index.glsl"

void main() {
  const uint i = invocation_index();
  if (i < batch) {
    uint length = steps;
    if (index_words != 0u) {
      const uvec2 given = wide_index(i, max(index_words, 1u));
      if (given.y != 0u || given.x > steps)
        fault(node, i, given);
      else
        length = given.x;
    }
    lengths[i] = length;
  }
  if (i >= states) return;
  const COMPUTED h = has_h0 ? load(h0[i]) : COMPUTED(0), c = has_c0 ? load(c0[i]) : COMPUTED(0);
  state[i] = h;
  if (has_cell) cell[i] = c;
  if (steps != 0u) return;
  h_n[i] = store(h);
  if (has_cell) c_n[i] = store(c);
}
