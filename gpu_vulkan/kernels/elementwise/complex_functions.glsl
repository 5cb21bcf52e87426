// Functions of complex numbers in f32 parts, either part within units of the modulus (ops.md 3); infinities and NaN are
// those of C's annex G, as the host has them.
#ifndef PLUMB_COMPLEX_FUNCTIONS_GLSL
#define PLUMB_COMPLEX_FUNCTIONS_GLSL

#include "gpu_vulkan/glsl/trigonometry.glsl"

bool is_finite_part(float x) { return magnitude_of(x) < infinity_bits; }
bool is_finite_pair(vec2 z) { return is_finite_part(z.x) && is_finite_part(z.y); }
bool is_infinite_pair(vec2 z) { return is_infinite(z.x) || is_infinite(z.y); }

/// A finite z by powers of two: z = result · 2^exponent, its larger part in [1, 2); 0 as it is.
vec2 near_one(vec2 z, out int exponent) {
  const uint a = magnitude_of(z.x), b = magnitude_of(z.y);
  exponent = 0;
  if (is_none(max(a, b))) return z;
  int of_x = -1000, of_y = -1000;
  const float x = is_none(a) ? 0.0 : significand(a, of_x), y = is_none(b) ? 0.0 : significand(b, of_y);
  exponent = max(of_x, of_y);
  return vec2(with_sign(scale(x, of_x - exponent), z.x), with_sign(scale(y, of_y - exponent), z.y));
}

precise float squares_of(vec2 z) { return z.x * z.x + z.y * z.y; }

/// l times the conjugate of r.
precise vec2 conjugate_product(vec2 l, vec2 r) { return vec2(l.x * r.x + l.y * r.y, l.y * r.x - l.x * r.y); }

/// 1 for an infinite part, else 0, with its sign.
vec2 infinite_parts(vec2 z) {
  return vec2(with_sign(is_infinite(z.x) ? 1.0 : 0.0, z.x), with_sign(is_infinite(z.y) ? 1.0 : 0.0, z.y));
}

/// An infinity times x: a NaN where x is 0 or NaN.
float infinite_times(float x) {
  return is_zero(x) || is_nan(x) ? quiet_nan() : with_sign(positive_infinity(), x);
}

/// A quotient of operands that are not finite, or by 0.
vec2 special_quotient(vec2 l, vec2 r) {
  if (is_zero(r.x) && is_zero(r.y)) {
    const float x = infinite_times(l.x), y = infinite_times(l.y);
    return sign_of(r.x) != 0u ? -vec2(x, y) : vec2(x, y);
  }
  if (is_infinite_pair(l) && is_finite_pair(r)) {
    const vec2 direct = conjugate_product(l, r);
    if (!is_nan(direct.x) || !is_nan(direct.y)) return direct;
    const vec2 product = conjugate_product(infinite_parts(l), r);
    return vec2(infinite_times(product.x), infinite_times(product.y));
  }
  if (is_infinite_pair(r) && is_finite_pair(l)) return vec2(0.0);
  return vec2(quiet_nan());
}

vec2 complex_quotient(vec2 l, vec2 r) {
  if (!is_finite_pair(l) || !is_finite_pair(r) || (is_zero(r.x) && is_zero(r.y))) return special_quotient(l, r);
  int of_l, of_r;
  const vec2 a = near_one(l, of_l), b = near_one(r, of_r), product = conjugate_product(a, b);
  const float squares = squares_of(b);
  return vec2(scale(quotient(product.x, squares), of_l - of_r), scale(quotient(product.y, squares), of_l - of_r));
}

vec2 complex_exp(vec2 z) {
  if (is_zero(z.y)) return vec2(expf(z.x), z.y);
  if (!is_finite_part(z.y)) {
    if (!is_infinite(z.x)) return vec2(quiet_nan());
    return sign_of(z.x) != 0u ? vec2(0.0) : vec2(positive_infinity(), quiet_nan());
  }
  if (is_nan(z.x)) return vec2(quiet_nan());
  // The sine of a small number is itself, also where a device would take it for 0.
  const vec2 turned = vec2(cosf(z.y), magnitude_of(z.y) < 0x39000000u ? z.y : sinf(z.y));
  if (z.x > 170.0) return vec2(infinite_times(turned.x), infinite_times(turned.y));
  if (z.x < -170.0) return vec2(0.0);
  if (abs(z.x) < 80.0) return turned * expf(z.x);
  // In two steps, of which the first does not leave the range.
  const float half_way = expf(0.5 * z.x);
  precise const vec2 once = turned * half_way;
  precise const vec2 twice = once * half_way;
  return twice;
}

/// ln |z| of a finite z that is not 0.
precise float log_of_modulus(vec2 z) {
  int exponent;
  const vec2 v = near_one(z, exponent);
  const float a = max(abs(v.x), abs(v.y)), b = min(abs(v.x), abs(v.y));
  if (exponent == 0 || exponent == -1) {  // near 1 the logarithm is of what |z|^2 is off 1
    const float p = exponent == 0 ? a : 0.5 * a, q = exponent == 0 ? b : 0.5 * b;
    const float off = (p - 1.0) * (p + 1.0), rest = off + q * q;
    return 0.5 * log1pf(rest);
  }
  return 0.5 * logf(squares_of(v)) + float(exponent) * 0.693147182;
}

vec2 complex_log(vec2 z) {
  const float angle = atan2f(z.y, z.x);
  if (is_infinite_pair(z)) return vec2(positive_infinity(), angle);
  if (is_nan(z.x) || is_nan(z.y)) return vec2(quiet_nan());
  if (is_zero(z.x) && is_zero(z.y)) return vec2(-positive_infinity(), angle);
  return vec2(log_of_modulus(z), angle);
}

vec2 special_root(vec2 z) {
  if (is_infinite(z.y)) return vec2(positive_infinity(), z.y);
  if (!is_infinite(z.x)) return vec2(quiet_nan());
  if (sign_of(z.x) == 0u) return vec2(positive_infinity(), is_nan(z.y) ? z.y : with_sign(0.0, z.y));
  return vec2(is_nan(z.y) ? z.y : 0.0, with_sign(positive_infinity(), z.y));
}

precise vec2 complex_root(vec2 z) {
  if (!is_finite_pair(z)) return special_root(z);
  if (is_zero(z.x) && is_zero(z.y)) return vec2(0.0, z.y);
  int exponent;
  vec2 v = near_one(z, exponent);
  if ((exponent & 1) != 0) {
    v *= 2.0;
    --exponent;
  }
  const float larger = square_root(0.5 * (square_root(squares_of(v)) + abs(v.x)));
  const float smaller = quotient(0.5 * abs(v.y), larger);
  const vec2 root = vec2(scale(larger, exponent >> 1), scale(smaller, exponent >> 1));
  return sign_of(z.x) == 0u ? vec2(root.x, with_sign(root.y, z.y)) : vec2(root.y, with_sign(root.x, z.y));
}

#endif
