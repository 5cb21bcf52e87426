// Functions of complex numbers in parts of f32, or f64 in the variant c128, either part within units of the modulus
// (ops.md 3); infinities and NaN are those of C's annex G, as the host has them.
#ifndef PLUMB_COMPLEX_FUNCTIONS_GLSL
#define PLUMB_COMPLEX_FUNCTIONS_GLSL

#ifdef VARIANT_c128
#include "gpu_vulkan/glsl/trigonometry_f64.glsl"
#define PART double
#define PARTS dvec2
PART infinite_part() { return double_infinity(); }
PART nan_part() { return double_nan(); }
PART part_of_power(int n) { return double_power_of_two(n); }
PART opposite(PART x) { return with_sign(x, sign_of(x) ^ 0x80000000u); }
const PART part_ln_2 = 0.69314718055994529lf;
const PART small_angle = 1e-9lf;         // its sine is the angle
const PART furthest_exponent = 1400.lf;  // e^(x / 2) is in range up to here, and
const PART near_exponent = 700.lf;       // e^x up to here
#else
#include "gpu_vulkan/glsl/trigonometry.glsl"
#define PART float
#define PARTS vec2
PART infinite_part() { return positive_infinity(); }
PART nan_part() { return quiet_nan(); }
PART part_of_power(int n) { return power_of_two(n); }
PART opposite(PART x) { return uintBitsToFloat(floatBitsToUint(x) ^ 0x80000000u); }
const PART part_ln_2 = 0.693147182;
const PART small_angle = 1.220703125e-4;
const PART furthest_exponent = 170.0;
const PART near_exponent = 80.0;
#endif

const int no_exponent = -10000;

PART size_of(PART x) { return with_sign(x, PART(1)); }
bool is_finite_part(PART x) { return !is_nan(x) && !is_infinite(x); }
bool is_finite_pair(PARTS z) { return is_finite_part(z.x) && is_finite_part(z.y); }
bool is_infinite_pair(PARTS z) { return is_infinite(z.x) || is_infinite(z.y); }

PARTS opposite(PARTS z) { return PARTS(opposite(z.x), opposite(z.y)); }
PARTS conjugate(PARTS z) { return PARTS(z.x, opposite(z.y)); }
PARTS complex_product(PARTS l, PARTS r) { return PARTS(l.x * r.x - l.y * r.y, l.x * r.y + l.y * r.x); }

/// A finite z by powers of two: z = result · 2^exponent, its larger part in [1, 2); 0 as it is.
PARTS near_one(PARTS z, out int exponent) {
  exponent = 0;
  const bool no_x = is_zero(z.x), no_y = is_zero(z.y);
  if (no_x && no_y) return z;
  int of_x = no_exponent, of_y = no_exponent;
  const PART x = no_x ? PART(0) : significand_of(z.x, of_x), y = no_y ? PART(0) : significand_of(z.y, of_y);
  exponent = max(of_x, of_y);
  return PARTS(with_sign(scale(x, of_x - exponent), z.x), with_sign(scale(y, of_y - exponent), z.y));
}

precise PART squares_of(PARTS z) { return z.x * z.x + z.y * z.y; }

/// l times the conjugate of r.
precise PARTS conjugate_product(PARTS l, PARTS r) { return PARTS(l.x * r.x + l.y * r.y, l.y * r.x - l.x * r.y); }

/// 1 for an infinite part, else 0, with its sign.
PARTS infinite_parts(PARTS z) {
  return PARTS(with_sign(PART(is_infinite(z.x) ? 1 : 0), z.x), with_sign(PART(is_infinite(z.y) ? 1 : 0), z.y));
}

/// An infinity times x: a NaN where x is 0 or NaN.
PART infinite_times(PART x) { return is_zero(x) || is_nan(x) ? nan_part() : with_sign(infinite_part(), x); }
PARTS infinite_times(PARTS z) { return PARTS(infinite_times(z.x), infinite_times(z.y)); }

/// A quotient of operands that are not finite, or by 0.
PARTS special_quotient(PARTS l, PARTS r) {
  if (is_zero(r.x) && is_zero(r.y)) {
    const PARTS infinite = infinite_times(l);
    return sign_of(r.x) != 0u ? -infinite : infinite;
  }
  if (is_infinite_pair(l) && is_finite_pair(r)) {
    const PARTS direct = conjugate_product(l, r);
    if (!is_nan(direct.x) || !is_nan(direct.y)) return direct;
    return infinite_times(conjugate_product(infinite_parts(l), r));
  }
  if (is_infinite_pair(r) && is_finite_pair(l)) return PARTS(0);
  return PARTS(nan_part());
}

PARTS complex_quotient(PARTS l, PARTS r) {
  if (!is_finite_pair(l) || !is_finite_pair(r) || (is_zero(r.x) && is_zero(r.y))) return special_quotient(l, r);
  int of_l, of_r;
  const PARTS a = near_one(l, of_l), b = near_one(r, of_r), product = conjugate_product(a, b);
  const PART squares = squares_of(b);
  return PARTS(scale(quotient(product.x, squares), of_l - of_r), scale(quotient(product.y, squares), of_l - of_r));
}

PARTS complex_exp(PARTS z) {
  if (is_zero(z.y)) return PARTS(expf(z.x), z.y);
  if (!is_finite_part(z.y)) {
    if (!is_infinite(z.x)) return PARTS(nan_part());
    return sign_of(z.x) != 0u ? PARTS(0) : PARTS(infinite_part(), nan_part());
  }
  if (is_nan(z.x)) return PARTS(nan_part());
  // The sine of a small number is itself, also where a device would take it for 0.
  const PARTS turned = PARTS(cosf(z.y), size_of(z.y) < small_angle ? z.y : sinf(z.y));
  if (z.x > furthest_exponent) return infinite_times(turned);
  if (z.x < -furthest_exponent) return PARTS(0);
  if (size_of(z.x) < near_exponent) return turned * expf(z.x);
  // In two steps, of which the first does not leave the range.
  const PART half_way = expf(PART(0.5) * z.x);
  precise const PARTS once = turned * half_way;
  precise const PARTS twice = once * half_way;
  return twice;
}

/// ln |z| of a finite z that is not 0.
precise PART log_of_modulus(PARTS z) {
  int exponent;
  const PARTS v = near_one(z, exponent);
  const PART a = max(size_of(v.x), size_of(v.y)), b = min(size_of(v.x), size_of(v.y));
  if (exponent == 0 || exponent == -1) {  // near 1 the logarithm is of what |z|^2 is off 1
    const PART unit = part_of_power(exponent), p = a * unit, q = b * unit;
    const PART off = (p - PART(1)) * (p + PART(1)), rest = off + q * q;
    return PART(0.5) * log1pf(rest);
  }
  return PART(0.5) * logf(squares_of(v)) + PART(exponent) * part_ln_2;
}

PARTS complex_log(PARTS z) {
  const PART angle = atan2f(z.y, z.x);
  if (is_infinite_pair(z)) return PARTS(infinite_part(), angle);
  if (is_nan(z.x) || is_nan(z.y)) return PARTS(nan_part());
  if (is_zero(z.x) && is_zero(z.y)) return PARTS(-infinite_part(), angle);
  return PARTS(log_of_modulus(z), angle);
}

PARTS special_root(PARTS z) {
  if (is_infinite(z.y)) return PARTS(infinite_part(), z.y);
  if (!is_infinite(z.x)) return PARTS(nan_part());
  if (sign_of(z.x) == 0u) return PARTS(infinite_part(), is_nan(z.y) ? z.y : with_sign(PART(0), z.y));
  return PARTS(is_nan(z.y) ? z.y : PART(0), with_sign(infinite_part(), z.y));
}

precise PARTS complex_root(PARTS z) {
  if (!is_finite_pair(z)) return special_root(z);
  if (is_zero(z.x) && is_zero(z.y)) return PARTS(0, z.y);
  int exponent;
  PARTS v = near_one(z, exponent);
  if ((exponent & 1) != 0) {
    v *= PART(2);
    --exponent;
  }
  const PART larger = square_root(PART(0.5) * (square_root(squares_of(v)) + size_of(v.x)));
  const PART smaller = quotient(PART(0.5) * size_of(v.y), larger);
  const PARTS root = PARTS(scale(larger, exponent >> 1), scale(smaller, exponent >> 1));
  return sign_of(z.x) == 0u ? PARTS(root.x, with_sign(root.y, z.y)) : PARTS(root.y, with_sign(root.x, z.y));
}

#endif
