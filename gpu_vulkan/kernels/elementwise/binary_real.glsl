// The functions of `binary` on reals: real_NAME, as ir::ops::BinaryFunction names them, so that a kernel
// that was generated calls the same as one that is told by a number.
#ifndef PLUMB_BINARY_REAL_GLSL
#define PLUMB_BINARY_REAL_GLSL

#ifdef VARIANT_f64
#include "gpu_vulkan/glsl/fmod_f64.glsl"
#include "gpu_vulkan/glsl/power_f64.glsl"
#include "gpu_vulkan/glsl/trigonometry_f64.glsl"
#else
#include "gpu_vulkan/glsl/power.glsl"
#include "gpu_vulkan/glsl/trigonometry.glsl"
#endif
#include "gpu_vulkan/kernels/elementwise/binary_functions.glsl"

/// The remainder with the sign of the divisor, from the one with the dividend's.
COMPUTED with_divisor_sign(COMPUTED rest, COMPUTED b) {
  return is_zero(rest) || is_nan(rest) || sign_of(rest) == sign_of(b) ? rest : rest + b;
}

precise COMPUTED real_add(COMPUTED a, COMPUTED b) { return a + b; }
precise COMPUTED real_subtract(COMPUTED a, COMPUTED b) { return a - b; }
precise COMPUTED real_multiply(COMPUTED a, COMPUTED b) { return a * b; }
COMPUTED real_divide(COMPUTED a, COMPUTED b) { return divide(a, b); }
COMPUTED real_maximum(COMPUTED a, COMPUTED b) { return maximum(a, b); }
COMPUTED real_minimum(COMPUTED a, COMPUTED b) { return minimum(a, b); }
COMPUTED real_fmod(COMPUTED a, COMPUTED b) { return fmodf(a, b); }
COMPUTED real_mod(COMPUTED a, COMPUTED b) { return with_divisor_sign(real_fmod(a, b), b); }
COMPUTED real_power(COMPUTED a, COMPUTED b) { return powf(a, b); }
COMPUTED real_atan2(COMPUTED a, COMPUTED b) { return atan2f(a, b); }

COMPUTED binary_real(uint function, COMPUTED a, COMPUTED b) {
  switch (function) {
    case ADD: return real_add(a, b);
    case SUBTRACT: return real_subtract(a, b);
    case MULTIPLY: return real_multiply(a, b);
    case DIVIDE: return real_divide(a, b);
    case MAXIMUM: return real_maximum(a, b);
    case MINIMUM: return real_minimum(a, b);
    case MOD: return real_mod(a, b);
    case FMOD: return real_fmod(a, b);
    case POWER: return real_power(a, b);
    case ATAN2: return real_atan2(a, b);
    default: return a;
  }
}

#endif
