#version 450
// The states that chunks of a scan begin with, from the products of their factors and what they come to from 0: an
// invocation an element of the state walks along the chunks.
// variants: f32 f64
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/glsl/element.glsl"
#include "gpu_vulkan/glsl/index.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const bool begins = false;  // with a state that is given, else 0

layout(set = 0, binding = 0) readonly buffer First { COMPUTED first[]; };
layout(set = 0, binding = 1) readonly buffer Ends { COMPUTED ends[]; };
layout(set = 0, binding = 2) readonly buffer Products { COMPUTED products[]; };
layout(set = 0, binding = 3) writeonly buffer Begun { COMPUTED begun[]; };
layout(push_constant) uniform Block { uint elements, chunks; };

void main() {
  const uint i = invocation_index();
  if (i >= elements) return;
  COMPUTED state = begins ? first[i] : COMPUTED(0);
  for (uint chunk = 0u; chunk < chunks; ++chunk) {
    const uint at = chunk * elements + i;
    begun[at] = state;
    state = products[at] * state + ends[at];
  }
}
