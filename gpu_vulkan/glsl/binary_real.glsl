// The functions of `binary` on reals.
#ifndef PLUMB_BINARY_REAL_GLSL
#define PLUMB_BINARY_REAL_GLSL

#ifdef VARIANT_f64
#include "arithmetic.glsl"
#include "fmod_f64.glsl"
#else
#include "power.glsl"
#include "trigonometry.glsl"
#endif

/// The remainder with the sign of the divisor, from the one with the dividend's.
COMPUTED with_divisor_sign(COMPUTED rest, COMPUTED b) {
  return is_zero(rest) || is_nan(rest) || sign_of(rest) == sign_of(b) ? rest : rest + b;
}

COMPUTED binary_real(uint function, COMPUTED a, COMPUTED b) {
  switch (function) {
    case ADD: return a + b;
    case SUBTRACT: return a - b;
    case MULTIPLY: return a * b;
    case DIVIDE: return divide(a, b);
    case MAXIMUM: return maximum(a, b);
    case MINIMUM: return minimum(a, b);
    case MOD: return with_divisor_sign(fmodf(a, b), b);
    case FMOD: return fmodf(a, b);
#ifndef VARIANT_f64
    case POWER: return powf(a, b);
    case ATAN2: return atan2f(a, b);
#endif
    default: return a;
  }
}

#endif
