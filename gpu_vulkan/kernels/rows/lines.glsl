// How the invocations of a workgroup share lines: `lanes` of them, a power of two,
// work on each of gl_WorkGroupSize.x / lanes lines, and agree by a tree in shared
// memory, whose order is the same on every device.
// The includer defines HELD, what an invocation brings to the tree, and
//   HELD combine(HELD a, HELD b, uint how)
#ifndef PLUMB_LINES_GLSL
#define PLUMB_LINES_GLSL

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint lanes = 1;
/// Neighbouring invocations work on neighbouring lines, not on neighbours in a line.
layout(constant_id = 2) const bool lines_fastest = false;

shared HELD held[gl_WorkGroupSize.x];

uint lines_here() { return gl_WorkGroupSize.x / lanes; }
uint lane() { return lines_fastest ? gl_LocalInvocationID.x / lines_here() : gl_LocalInvocationID.x % lanes; }
uint place() { return lines_fastest ? gl_LocalInvocationID.x % lines_here() : gl_LocalInvocationID.x / lanes; }

/// `mine` combined over all lanes of this line. Every invocation must come here.
HELD combined(HELD mine, uint how) {
  barrier();  // the result before this one has been read
  held[gl_LocalInvocationID.x] = mine;
  const uint apart = lines_fastest ? lines_here() : 1u;  // invocations of neighbouring lanes
  for (uint other = lanes / 2u; other > 0u; other /= 2u) {
    barrier();
    if (lane() < other)
      held[gl_LocalInvocationID.x] =
          combine(held[gl_LocalInvocationID.x], held[gl_LocalInvocationID.x + other * apart], how);
  }
  barrier();
  return held[lines_fastest ? place() : place() * lanes];
}

#endif
