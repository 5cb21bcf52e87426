// All steps of a recurrence in one kernel: a workgroup has one sequence in one direction, and R in its registers: an
// invocation has a line of it, which is a unit's of one gate, and sums that line's products at every step. States and
// sums go from one invocation to another by way of shared memory.
// The includer defines GATES.
#ifndef PLUMB_RESIDENT_GLSL
#define PLUMB_RESIDENT_GLSL

#include "gpu_vulkan/kernels/recurrent/sequences.glsl"

layout(constant_id = 4) const uint quads = 1;  // quads of a line of R, the last one filled up with zeros
layout(constant_id = 5) const bool is_even = false;  // H is a multiple of 4

layout(set = 0, binding = 4) readonly buffer Before { COMPUTED before[]; };  // [D, B, H]

shared VECTOR state[quads];
shared COMPUTED of_states[gl_WorkGroupSize.x];  // R·h, by gate and unit
shared COMPUTED beside[gl_WorkGroupSize.x];     // W·x, likewise
VECTOR line[quads];                             // the invocation's part of R

/// The sequence of the workgroup; `unit` is one of the first gate's.
Place place() {
  const uint sequence = min(group_index(), directions * batch - 1u), unit = gl_LocalInvocationID.x;
  return Place(sequence / batch, sequence % batch, unit, sequence * width + unit,
               group_index() < directions * batch && unit < width);
}

/// Whether the invocation has a line of R, which then is that of `gate`.
bool has_line() { return gl_LocalInvocationID.x < GATES * width; }
uint gate() { return gl_LocalInvocationID.x / width; }

/// Reads R, and makes `h` the state. What follows it is behind a barrier.
void begin(Place at, COMPUTED h) {
  const uint local = gl_LocalInvocationID.x;
  [[unroll]] for (uint q = 0u; q < quads; ++q)
    line[q] = has_line() ? weights_of_line(at.direction * gate_rows + local, 4u * q, is_even) : VECTOR(0);
  if (local < 4u * quads) state[local / 4u][local % 4u] = local < width ? h : COMPUTED(0);
  barrier();
}

/// R·h of the invocation's line: a chain for each place in a quad.
COMPUTED product() {
  VECTOR sums = VECTOR(0);
  [[unroll]] for (uint q = 0u; q < quads; ++q) {
    const VECTOR h = state[q];
    sums.x += line[q].x * h.x;
    sums.y += line[q].y * h.y;
    sums.z += line[q].z * h.z;
    sums.w += line[q].w * h.w;
  }
  return ((sums.x + sums.y) + sums.z) + sums.w;
}

/// W·x of the invocation's line at step `s`; 0 beyond the last.
COMPUTED input_of_line(Place at, uint s) {
  if (!has_line() || s >= steps) return COMPUTED(0);
  return of_input(Place(at.direction, at.row, gl_LocalInvocationID.x % width, 0u, true), s, gate());
}

#endif
