// Numbers in units of a power of two, which a caller takes from the largest magnitude of a line: neither their squares
// nor sums of these leave the range. Subnormals are shifted as integers: a device may read them as 0, where a quotient
// of two of them is an ordinary number.
#ifndef PLUMB_UNITS_GLSL
#define PLUMB_UNITS_GLSL

#include "gpu_vulkan/glsl/arithmetic.glsl"
#include "gpu_vulkan/glsl/element.glsl"

/// |x| by its bits: abs() of a device may flush.
COMPUTED magnitude(COMPUTED x) { return with_sign(x, COMPUTED(0)); }

/// The exponent of a magnitude; 0 of one that has none.
int exponent_of(COMPUTED peak) {
  int exponent = 0;
  if (!is_zero(peak) && !is_nan(peak) && !is_infinite(peak)) significand_of(peak, exponent);
  return exponent;
}

/// x 2^-exponent, for |x| below 2^(exponent + 1) where x is finite.
COMPUTED in_units(COMPUTED x, int exponent) {
  if (!is_subnormal(x)) return scale(x, -exponent);
  int own;
  const COMPUTED m = significand_of(x, own);
  return with_sign(scale(m, own - exponent), x);
}

#endif
