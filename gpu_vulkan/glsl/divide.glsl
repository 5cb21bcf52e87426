// Division of a number below 2^31 by a Divisor of the host (gpu_vulkan/kernels/common/divisor.hpp):
// a multiplication and a shift.
#ifndef PLUMB_DIVIDE_GLSL
#define PLUMB_DIVIDE_GLSL

uint divide(uint n, uint multiplier, uint shift) {
  uint high, low;
  umulExtended(n << 1, multiplier, high, low);
  return high >> shift;
}

uint divide(uint n, uvec2 divisor) { return divide(n, divisor.x, divisor.y); }

#endif
