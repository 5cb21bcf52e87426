#version 450
// variants: f32 f16 f16_native bf16 f64 i32 u32 i64 i16 i8 u8 bool c64
// y = function(x)
#extension GL_GOOGLE_include_directive : require
#define OPERANDS 1
#include "gpu_vulkan/kernels/elementwise/elementwise.glsl"
#include "gpu_vulkan/glsl/specials_kept.glsl"

#include "gpu_vulkan/glsl/arithmetic.glsl"
#include "gpu_vulkan/kernels/elementwise/unary_functions.glsl"

layout(constant_id = 4) const uint function = ABS;

layout(set = 0, binding = 0) readonly buffer X { STORED x[]; };
layout(set = 0, binding = 0) readonly buffer PackedX { PACKED packed_x[]; };
layout(set = 0, binding = 1) writeonly buffer Y { STORED y[]; };
layout(set = 0, binding = 1) writeonly buffer PackedY { PACKED packed_y[]; };

#if defined(VARIANT_bool)
bool apply(bool v) { return !v; }
#elif defined(VARIANT_c64)
#include "gpu_vulkan/kernels/elementwise/complex_functions.glsl"
vec2 flip_signs(vec2 v, uint flip_real) {
  return uintBitsToFloat(floatBitsToUint(v) ^ uvec2(flip_real, 0x80000000u));
}
vec2 apply(vec2 v) {
  switch (function) {
    case NEGATE: return flip_signs(v, 0x80000000u);
    case SQUARE: return vec2(v.x * v.x - v.y * v.y, 2.0 * v.x * v.y);
    case RECIPROCAL: return complex_quotient(vec2(1.0, 0.0), v);
    case SQRT: return complex_root(v);
    case EXP: return complex_exp(v);
    case LOG: return complex_log(v);
    default: return flip_signs(v, 0u);
  }
}
#elif defined(VARIANT_f64)
#include "gpu_vulkan/glsl/trigonometry_f64.glsl"
/// As (v + 3) / 6, which does not cancel near -3, unless a compiler makes it v / 6 + 1/2.
precise double hard_swish(double v) {
  if (is_nan(v)) return v;
  return is_infinite(v) && v < 0.0lf ? double_nan() : v * clamp((v + 3.0lf) / 6.0lf, 0.0lf, 1.0lf);
}
double apply(double v) {
  switch (function) {
    case ABS: return with_sign(v, 0u);
    case NEGATE: return with_sign(v, sign_of(v) ^ 0x80000000u);
    case SIGN: return is_nan(v) || is_zero(v) ? v : with_sign(1.0lf, sign_of(v));
    case SQUARE: return v * v;
    case RECIPROCAL: return divide(1.0lf, v);
    case SQRT: return square_root(v);
    case RSQRT: return inverse_square_root(v);
    case EXP: return expf(v);
    case LOG: return logf(v);
    case SIN: return sinf(v);
    case COS: return cosf(v);
    case TANH: return tanhf(v);
    case ERF: return erff(v);
    case SIGMOID: return sigmoidf(v);
    case SILU: return siluf(v);
    case FLOOR: return floor(v);
    case CEIL: return ceil(v);
    case TRUNC: return trunc(v);
    case ROUND: return roundEven(v);
    case RELU: return is_nan(v) || sign_of(v) == 0u ? v : 0.0lf;
    case SOFTSIGN: return is_infinite(v) ? double_nan() : divide(v, 1.0lf + with_sign(v, 0u));
    default: return hard_swish(v);
  }
}
#elif defined(VARIANT_f32) || defined(VARIANT_f16) || defined(VARIANT_bf16)
#include "gpu_vulkan/kernels/elementwise/unary_real.glsl"
float apply(float v) {
#ifdef VARIANT_f16
  if (function == GELU) return real_gelu_f16(v);
#endif
  return unary_real(function, v);
}
#else
#include "gpu_vulkan/kernels/elementwise/unary_integer.glsl"
COMPUTED apply(COMPUTED v) { return unary_integer(function, v); }
#endif

PACKED operand_x(uint q, uint n) {
  PACKED p;
  if (is_packed && n == PACK) return packed_x[q];
  [[unroll]] for (uint i = 0; i < width; ++i)
    if (i < n) pack(p, i, load(x[q * width + i]));
  return p;
}

void store_unit(uint q, uint n, PACKED r) {
  if (is_packed && n == PACK) {
    packed_y[q] = r;
    return;
  }
  [[unroll]] for (uint i = 0; i < width; ++i)
    if (i < n) y[q * width + i] = store(unpack(r, i));
}

void main() {
  PACKED v[MOST_UNITS];
  [[unroll]] for (uint u = 0; u < units; ++u) {
    const uint q = unit(u), n = elements_in(q);
    v[u] = operand_x(q, n);
  }
  [[unroll]] for (uint u = 0; u < units; ++u) {
    const uint q = unit(u), n = elements_in(q);
    PACKED r;
    [[unroll]] for (uint i = 0; i < width; ++i) pack(r, i, apply(unpack(v[u], i)));
    store_unit(q, n, r);
  }
}
