// The functions of `unary` on reals, COMPUTED in float or double: real_NAME, as ir::ops::UnaryFunction names them, so
// that a kernel that was generated calls the same as one that is told by a number.
#ifndef PLUMB_UNARY_REAL_GLSL
#define PLUMB_UNARY_REAL_GLSL

#ifdef VARIANT_f64
#include "gpu_vulkan/kernels/elementwise/activation_f64.glsl"
#include "gpu_vulkan/kernels/elementwise/hyperbolic_f64.glsl"
#include "gpu_vulkan/glsl/trigonometry_f64.glsl"
#else
#include "gpu_vulkan/kernels/elementwise/activation.glsl"
#include "gpu_vulkan/glsl/hyperbolic.glsl"
#include "gpu_vulkan/glsl/trigonometry.glsl"
#endif
#include "gpu_vulkan/kernels/elementwise/unary_functions.glsl"

// Bits decide wherever a device may take a subnormal for 0 or forget a NaN.
#ifdef VARIANT_f64
double real_abs(double x) { return with_sign(x, 0u); }
double real_negate(double x) { return with_sign(x, sign_of(x) ^ 0x80000000u); }
double real_floor(double x) { return whole_below(x); }
double real_ceil(double x) { return whole_above(x); }
double real_trunc(double x) { return whole_part(x); }
double real_round(double x) { return nearest_whole(x); }
#else
bool is_fraction(float x) { return !is_zero(x) && magnitude_of(x) < 0x3F800000u; }
float real_abs(float x) { return uintBitsToFloat(magnitude_of(x)); }
float real_negate(float x) { return uintBitsToFloat(floatBitsToUint(x) ^ 0x80000000u); }
float real_floor(float x) { return is_fraction(x) && sign_of(x) != 0u ? -1.0 : floor(x); }
float real_ceil(float x) { return is_fraction(x) && sign_of(x) == 0u ? 1.0 : ceil(x); }
float real_trunc(float x) { return trunc(x); }
float real_round(float x) { return roundEven(x); }
float real_gelu_f16(float x) { return half_geluf(x); }
#endif

COMPUTED real_sign(COMPUTED x) { return is_nan(x) || is_zero(x) ? x : with_sign(COMPUTED(1), x); }
precise COMPUTED real_square(COMPUTED x) { return x * x; }
COMPUTED real_reciprocal(COMPUTED x) { return divide(COMPUTED(1), x); }
COMPUTED real_sqrt(COMPUTED x) { return square_root(x); }
COMPUTED real_rsqrt(COMPUTED x) { return inverse_square_root(x); }
COMPUTED real_exp(COMPUTED x) { return expf(x); }
COMPUTED real_expm1(COMPUTED x) { return expm1f(x); }
COMPUTED real_log(COMPUTED x) { return logf(x); }
COMPUTED real_log1p(COMPUTED x) { return log1pf(x); }
COMPUTED real_sin(COMPUTED x) { return sinf(x); }
COMPUTED real_cos(COMPUTED x) { return cosf(x); }
COMPUTED real_tan(COMPUTED x) { return tanf(x); }
COMPUTED real_asin(COMPUTED x) { return asinf(x); }
COMPUTED real_acos(COMPUTED x) { return acosf(x); }
COMPUTED real_atan(COMPUTED x) { return atanf(x); }
COMPUTED real_sinh(COMPUTED x) { return sinhf(x); }
COMPUTED real_cosh(COMPUTED x) { return coshf(x); }
COMPUTED real_tanh(COMPUTED x) { return tanhf(x); }
COMPUTED real_asinh(COMPUTED x) { return asinhf(x); }
COMPUTED real_acosh(COMPUTED x) { return acoshf(x); }
COMPUTED real_atanh(COMPUTED x) { return atanhf(x); }
COMPUTED real_erf(COMPUTED x) { return erff(x); }
COMPUTED real_relu(COMPUTED x) { return is_nan(x) || sign_of(x) == 0u ? x : COMPUTED(0); }
COMPUTED real_sigmoid(COMPUTED x) { return sigmoidf(x); }
COMPUTED real_silu(COMPUTED x) { return siluf(x); }
COMPUTED real_gelu(COMPUTED x) { return geluf(x); }
COMPUTED real_gelu_tanh(COMPUTED x) { return gelu_tanhf(x); }
COMPUTED real_softplus(COMPUTED x) { return softplusf(x); }
COMPUTED real_softsign(COMPUTED x) { return softsignf(x); }
COMPUTED real_mish(COMPUTED x) { return mishf(x); }
COMPUTED real_hard_swish(COMPUTED x) { return hard_swishf(x); }
COMPUTED real_log_sigmoid(COMPUTED x) { return log_sigmoidf(x); }

COMPUTED unary_real(uint function, COMPUTED x) {
  switch (function) {
    case ABS: return real_abs(x);
    case NEGATE: return real_negate(x);
    case SIGN: return real_sign(x);
    case SQUARE: return real_square(x);
    case RECIPROCAL: return real_reciprocal(x);
    case SQRT: return real_sqrt(x);
    case RSQRT: return real_rsqrt(x);
    case EXP: return real_exp(x);
    case EXPM1: return real_expm1(x);
    case LOG: return real_log(x);
    case LOG1P: return real_log1p(x);
    case SIN: return real_sin(x);
    case COS: return real_cos(x);
    case TAN: return real_tan(x);
    case ASIN: return real_asin(x);
    case ACOS: return real_acos(x);
    case ATAN: return real_atan(x);
    case SINH: return real_sinh(x);
    case COSH: return real_cosh(x);
    case TANH: return real_tanh(x);
    case ASINH: return real_asinh(x);
    case ACOSH: return real_acosh(x);
    case ATANH: return real_atanh(x);
    case ERF: return real_erf(x);
    case FLOOR: return real_floor(x);
    case CEIL: return real_ceil(x);
    case TRUNC: return real_trunc(x);
    case ROUND: return real_round(x);
    case RELU: return real_relu(x);
    case SIGMOID: return real_sigmoid(x);
    case SILU: return real_silu(x);
    case GELU: return real_gelu(x);
    case GELU_TANH: return real_gelu_tanh(x);
    case SOFTPLUS: return real_softplus(x);
    case SOFTSIGN: return real_softsign(x);
    case MISH: return real_mish(x);
    case HARD_SWISH: return real_hard_swish(x);
    default: return real_log_sigmoid(x);
  }
}

#endif
