#version 450
// variants: f32 f16 bf16 f64
// The first states of a recurrence in what it computes in, and its lengths, held to the number of steps. Where there is
// no step, they are the last states, too.
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/glsl/element.glsl"
#include "gpu_vulkan/glsl/index.glsl"

layout(local_size_x_id = 0) in;

layout(set = 0, binding = 0) readonly buffer H0 { STORED h0[]; };
layout(set = 0, binding = 1) readonly buffer C0 { STORED c0[]; };
layout(set = 0, binding = 2) readonly buffer Given { uint indices[]; };
layout(set = 0, binding = 3) writeonly buffer State { COMPUTED state[]; };
layout(set = 0, binding = 4) writeonly buffer Cell { COMPUTED cell[]; };
layout(set = 0, binding = 5) writeonly buffer Lengths { uint lengths[]; };
layout(set = 0, binding = 6) writeonly buffer LastState { STORED h_n[]; };
layout(set = 0, binding = 7) writeonly buffer LastCell { STORED c_n[]; };
layout(push_constant) uniform Block {
  uint states, batch, steps, node;
  uint index_words;  // 0: every sequence has all steps
  uint flags;
};
const uint HAS_H0 = 1u, HAS_C0 = 2u, HAS_CELL = 4u;
bool is_set(uint flag) { return (flags & flag) != 0u; }
#define FAULTS_BINDING 8
#include "gpu_vulkan/glsl/faults.glsl"
#include "gpu_vulkan/glsl/wide_index.glsl"

void main() {
  const uint i = invocation_index();
  if (i < batch) {
    uint length = steps;
    if (index_words != 0u) {
      const uvec2 given = wide_index(i, index_words);
      if (given.y != 0u || given.x > steps)
        fault(node, i, given);
      else
        length = given.x;
    }
    lengths[i] = length;
  }
  if (i >= states) return;
  const COMPUTED h = is_set(HAS_H0) ? load(h0[i]) : COMPUTED(0), c = is_set(HAS_C0) ? load(c0[i]) : COMPUTED(0);
  state[i] = h;
  if (is_set(HAS_CELL)) cell[i] = c;
  if (steps != 0u) return;
  h_n[i] = store(h);
  if (is_set(HAS_CELL)) c_n[i] = store(c);
}
