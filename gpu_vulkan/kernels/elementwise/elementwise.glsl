// The loops of an elementwise op over operands that broadcast, filled in by
// gpu_vulkan/kernels/elementwise/elementwise.cpp. The result is made in units: PACK neighbours, or one element. An
// invocation makes several, and reads all of them before it stores the first. Along the last axis an
// operand is dense, and read in units, or stretched, and one element is read for the whole unit.
//
// Loops over the elements of a unit run to its width, a constant of the pipeline, and are unrolled:
// an element at an index that is not constant would go through memory.
//
// Unit q of the result has q[last] = q, q[k] = q[k+1] / extent[k+1], and its multi-index is
// q[k] - q[k-1]·extent[k]; so an operand is read at Σ q[k]·step[k] with step[k] = stride[k] -
// extent[k+1]·stride[k+1], which may be negative and then wraps (as in strided_copy.comp).
//
// The includer defines OPERANDS, and includes this before any other code, for the
// extensions in it.
#ifndef PLUMB_ELEMENTWISE_GLSL
#define PLUMB_ELEMENTWISE_GLSL

#extension GL_EXT_control_flow_attributes : require
#include "gpu_vulkan/glsl/pack.glsl"

#include "gpu_vulkan/glsl/divide.glsl"
#include "gpu_vulkan/glsl/index.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint axes = 1;
layout(constant_id = 2) const uint packs = 0;          // units of PACK elements an invocation; 0: one of one element
layout(constant_id = 3) const uint dense = 0;          // bit k: operand k is dense along the last axis
layout(push_constant) uniform Block {
  uint count;            // elements of the result
  uint multipliers[7];   // division by the extents of axes 1 to 7, in units
  uint shifts[2];        // a byte each
  uint steps[21];        // strides of axes 0 to 6, for each operand
};

#define MOST_UNITS 4  // for an invocation
const bool is_packed = packs != 0u;
const uint width = is_packed ? PACK : 1u, units = is_packed ? packs : 1u;

/// The u-th unit of this invocation: at any time neighbours work on neighbouring units.
uint unit(uint u) { return (group_index() * units + u) * gl_WorkGroupSize.x + gl_LocalInvocationID.x; }

bool is_dense(uint operand) { return (dense >> operand & 1u) != 0u; }

/// Elements in unit q; fewer than a unit's width at the end of the tensor, none beyond it.
uint elements_in(uint q) {
  const uint first = q * width;
  return first < count ? min(width, count - first) : 0u;
}

/// Where unit q of the result finds its operands, in their units, or elements if stretched.
void locate(uint q, out uint at[OPERANDS]) {
  for (uint k = 0; k < OPERANDS; ++k) at[k] = is_dense(k) ? q : 0u;
  for (uint a = axes - 1u; a > 0u; --a) {
    q = divide(q, multipliers[a - 1u], bitfieldExtract(shifts[(a - 1u) / 4u], int((a - 1u) % 4u) * 8, 8));
    for (uint k = 0; k < OPERANDS; ++k) at[k] += q * steps[k * 7u + a - 1u];
  }
}

#endif
