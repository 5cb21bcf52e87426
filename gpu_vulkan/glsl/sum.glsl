// A sum carried as two numbers, the second being what rounding lost from the first
// (Neumaier): long sums of terms that cancel stay good to a rounding or two.
// The includer may define REAL and PAIR as double and dvec2.
#ifndef PLUMB_SUM_GLSL
#define PLUMB_SUM_GLSL

#ifdef REAL
bool is_finite(REAL x) { return (unpackDouble2x32(x).y & 0x7FF00000u) != 0x7FF00000u; }
#else
#include "gpu_vulkan/glsl/arithmetic.glsl"
#define REAL float
#define PAIR vec2
bool is_finite(REAL x) { return magnitude_of(x) < infinity_bits; }
#endif

PAIR plus(PAIR sum, REAL x) {
  precise const REAL high = sum.x + x, back = high - sum.x;
  precise const REAL lost = (sum.x - (high - back)) + (x - back);
  precise const REAL low = sum.y + lost;
  return PAIR(high, low);
}

PAIR plus(PAIR a, PAIR b) {
  const PAIR sum = plus(a, b.x);
  precise const REAL low = sum.y + b.y;
  return PAIR(sum.x, low);
}

/// The sum itself. Beside an infinity or NaN the second number means nothing.
REAL total(PAIR sum) {
  precise const REAL both = sum.x + sum.y;
  return is_finite(sum.x) ? both : sum.x;
}

#endif
