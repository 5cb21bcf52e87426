// The functions of `unary` on reals: real_NAME, as ir::ops::UnaryFunction names them, so that a kernel
// that was generated calls the same as one that is told by a number.
#ifndef PLUMB_UNARY_REAL_GLSL
#define PLUMB_UNARY_REAL_GLSL

#include "gpu_vulkan/kernels/elementwise/activation.glsl"
#include "gpu_vulkan/glsl/hyperbolic.glsl"
#include "gpu_vulkan/glsl/trigonometry.glsl"
#include "gpu_vulkan/kernels/elementwise/unary_functions.glsl"

// Bits decide wherever a device may take a subnormal for 0 or forget a NaN.
bool is_fraction(float x) { return !is_zero(x) && magnitude_of(x) < 0x3F800000u; }

float real_abs(float x) { return uintBitsToFloat(magnitude_of(x)); }
float real_negate(float x) { return uintBitsToFloat(floatBitsToUint(x) ^ 0x80000000u); }
float real_sign(float x) { return is_nan(x) || is_zero(x) ? x : with_sign(1.0, x); }
precise float real_square(float x) { return x * x; }
float real_reciprocal(float x) { return divide(1.0, x); }
float real_sqrt(float x) { return square_root(x); }
float real_rsqrt(float x) { return inverse_square_root(x); }
float real_exp(float x) { return expf(x); }
float real_expm1(float x) { return expm1f(x); }
float real_log(float x) { return logf(x); }
float real_log1p(float x) { return log1pf(x); }
float real_sin(float x) { return sinf(x); }
float real_cos(float x) { return cosf(x); }
float real_tan(float x) { return tanf(x); }
float real_asin(float x) { return asinf(x); }
float real_acos(float x) { return acosf(x); }
float real_atan(float x) { return atanf(x); }
float real_sinh(float x) { return sinhf(x); }
float real_cosh(float x) { return coshf(x); }
float real_tanh(float x) { return tanhf(x); }
float real_asinh(float x) { return asinhf(x); }
float real_acosh(float x) { return acoshf(x); }
float real_atanh(float x) { return atanhf(x); }
float real_erf(float x) { return erff(x); }
float real_floor(float x) { return is_fraction(x) && sign_of(x) != 0u ? -1.0 : floor(x); }
float real_ceil(float x) { return is_fraction(x) && sign_of(x) == 0u ? 1.0 : ceil(x); }
float real_trunc(float x) { return trunc(x); }
float real_round(float x) { return roundEven(x); }
float real_relu(float x) { return is_nan(x) || sign_of(x) == 0u ? x : 0.0; }
float real_sigmoid(float x) { return sigmoidf(x); }
float real_silu(float x) { return siluf(x); }
float real_gelu(float x) { return geluf(x); }
float real_gelu_f16(float x) { return half_geluf(x); }
float real_gelu_tanh(float x) { return gelu_tanhf(x); }
float real_softplus(float x) { return softplusf(x); }
float real_softsign(float x) { return softsignf(x); }
float real_mish(float x) { return mishf(x); }
float real_hard_swish(float x) { return hard_swishf(x); }
float real_log_sigmoid(float x) { return log_sigmoidf(x); }

float unary_real(uint function, float x) {
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
