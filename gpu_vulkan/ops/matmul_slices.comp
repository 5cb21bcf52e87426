#version 450
// y = alpha s + beta c, where s is the sum of `slices` products of some of the terms each, in their order: the second
// half of a product whose terms were split between workgroups.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "index.glsl"

layout(constant_id = 1) const uint slices = 2;

layout(set = 0, binding = 0) readonly buffer Slices { float slice[]; };
layout(set = 0, binding = 1) readonly buffer C { float c[]; };
layout(set = 0, binding = 2) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Block {
  uint count, n, has_c;
  float alpha, beta;
  uint c_strides[2];
};

void main() {
  const uint at = invocation_index();
  if (at >= count) return;
  float terms[slices];
  [[unroll]] for (uint s = 0; s < slices; ++s) terms[s] = slice[s * count + at];
  float sum = terms[0];
  [[unroll]] for (uint s = 1; s < slices; ++s) sum += terms[s];
  sum *= alpha;
  if (has_c != 0u) sum += beta * c[at / n * c_strides[0] + at % n * c_strides[1]];
  y[at] = sum;
}
