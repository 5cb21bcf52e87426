// The functions of `unary` on reals; the numbers are those of ir::ops::UnaryFunction.
#ifndef PLUMB_UNARY_REAL_GLSL
#define PLUMB_UNARY_REAL_GLSL

#include "activation.glsl"
#include "hyperbolic.glsl"
#include "trigonometry.glsl"

// Bits decide wherever a device may take a subnormal for 0 or forget a NaN.
float sign_real(float x) { return is_nan(x) || is_zero(x) ? x : with_sign(1.0, x); }
float relu_real(float x) { return is_nan(x) || sign_of(x) == 0u ? x : 0.0; }
bool is_fraction(float x) { return !is_zero(x) && magnitude_of(x) < 0x3F800000u; }
float floor_real(float x) { return is_fraction(x) && sign_of(x) != 0u ? -1.0 : floor(x); }
float ceil_real(float x) { return is_fraction(x) && sign_of(x) == 0u ? 1.0 : ceil(x); }

float unary_real(uint function, float x) {
  switch (function) {
    case ABS: return uintBitsToFloat(magnitude_of(x));
    case NEGATE: return uintBitsToFloat(floatBitsToUint(x) ^ 0x80000000u);
    case SIGN: return sign_real(x);
    case SQUARE: return x * x;
    case RECIPROCAL: return divide(1.0, x);
    case SQRT: return square_root(x);
    case RSQRT: return inverse_square_root(x);
    case EXP: return expf(x);
    case EXPM1: return expm1f(x);
    case LOG: return logf(x);
    case LOG1P: return log1pf(x);
    case SIN: return sinf(x);
    case COS: return cosf(x);
    case TAN: return tanf(x);
    case ASIN: return asinf(x);
    case ACOS: return acosf(x);
    case ATAN: return atanf(x);
    case SINH: return sinhf(x);
    case COSH: return coshf(x);
    case TANH: return tanhf(x);
    case ASINH: return asinhf(x);
    case ACOSH: return acoshf(x);
    case ATANH: return atanhf(x);
    case ERF: return erff(x);
    case FLOOR: return floor_real(x);
    case CEIL: return ceil_real(x);
    case TRUNC: return trunc(x);
    case ROUND: return roundEven(x);
    case RELU: return relu_real(x);
    case SIGMOID: return sigmoidf(x);
    case SILU: return siluf(x);
    case GELU: return geluf(x);
    case GELU_TANH: return gelu_tanhf(x);
    case SOFTPLUS: return softplusf(x);
    case SOFTSIGN: return softsignf(x);
    case MISH: return mishf(x);
    case HARD_SWISH: return hard_swishf(x);
    default: return log_sigmoidf(x);
  }
}

#endif
