#version 450
// variants: f32 f16 bf16 f64 i32 u32 i64 i16 i8 u8 bool c64
// y = function(x)
#extension GL_GOOGLE_include_directive : require
#define OPERANDS 1
#include "elementwise.glsl"

#include "arithmetic.glsl"

const uint ABS = 0u, NEGATE = 1u, SIGN = 2u, SQUARE = 3u, RECIPROCAL = 4u, SQRT = 5u, RSQRT = 6u, EXP = 7u, EXPM1 = 8u,
           LOG = 9u, LOG1P = 10u, SIN = 11u, COS = 12u, TAN = 13u, ASIN = 14u, ACOS = 15u, ATAN = 16u, SINH = 17u,
           COSH = 18u, TANH = 19u, ASINH = 20u, ACOSH = 21u, ATANH = 22u, ERF = 23u, FLOOR = 24u, CEIL = 25u,
           TRUNC = 26u, ROUND = 27u, RELU = 28u, SIGMOID = 29u, SILU = 30u, GELU = 31u, GELU_TANH = 32u,
           SOFTPLUS = 33u, SOFTSIGN = 34u, MISH = 35u, HARD_SWISH = 36u, LOG_SIGMOID = 37u, LOGICAL_NOT = 38u,
           BITWISE_NOT = 39u, CONJUGATE = 40u;
layout(constant_id = 4) const uint function = ABS;

layout(set = 0, binding = 0) readonly buffer X { STORED x[]; };
layout(set = 0, binding = 0) readonly buffer PackedX { PACKED packed_x[]; };
layout(set = 0, binding = 1) writeonly buffer Y { STORED y[]; };
layout(set = 0, binding = 1) writeonly buffer PackedY { PACKED packed_y[]; };

#if defined(VARIANT_bool)
bool apply(bool v) { return !v; }
#elif defined(VARIANT_c64)
vec2 flip_signs(vec2 v, uint flip_real) {
  return uintBitsToFloat(floatBitsToUint(v) ^ uvec2(flip_real, 0x80000000u));
}
vec2 apply(vec2 v) {
  switch (function) {
    case NEGATE: return flip_signs(v, 0x80000000u);
    case SQUARE: return vec2(v.x * v.x - v.y * v.y, 2.0 * v.x * v.y);
    default: return flip_signs(v, 0u);
  }
}
#elif defined(VARIANT_f64)
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
#include "unary_real.glsl"
float apply(float v) { return unary_real(function, v); }
#else
COMPUTED apply(COMPUTED v) {
  switch (function) {
    case ABS: return v < COMPUTED(0) ? COMPUTED(0) - v : v;
    case NEGATE: return COMPUTED(0) - v;
    case SIGN: return v > COMPUTED(0) ? COMPUTED(1) : v < COMPUTED(0) ? COMPUTED(0) - COMPUTED(1) : COMPUTED(0);
    case SQUARE: return v * v;
    case RELU: return max(v, COMPUTED(0));
    default: return ~v;
  }
}
#endif

void main() {
  const uint q = invocation_index(), n = elements_in(q);
  const bool whole = is_packed && n == PACK;
  PACKED v, r;
  if (whole) v = packed_x[q];
  for (uint i = 0; i < n; ++i) pack(r, i, apply(whole ? unpack(v, i) : load(x[q * width + i])));
  if (whole) packed_y[q] = r;
  else for (uint i = 0; i < n; ++i) y[q * width + i] = store(unpack(r, i));
}
