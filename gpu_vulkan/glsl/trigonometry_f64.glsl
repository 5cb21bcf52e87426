// Circular functions of doubles and their inverses over the whole range, within 4 ulp.
#ifndef PLUMB_TRIGONOMETRY_F64_GLSL
#define PLUMB_TRIGONOMETRY_F64_GLSL

#include "gpu_vulkan/glsl/math_f64.glsl"

const double half_pi_f64 = 1.5707963267948966lf, half_pi_rest_f64 = 6.123233995736766e-17lf;  // their sum is pi/2

/// 2/pi: word k holds the bits of weight 2^(63 - 32k) and less.
const uint two_over_pi_f64[40] = uint[40](
    0u, 0u, 0xA2F9836Eu, 0x4E441529u, 0xFC2757D1u, 0xF534DDC0u, 0xDB629599u, 0x3C439041u,
    0xFE5163ABu, 0xDEBBC561u, 0xB7246E3Au, 0x424DD2E0u, 0x06492EEAu, 0x09D1921Cu, 0xFE1DEB1Cu, 0xB129A73Eu,
    0xE88235F5u, 0x2EBB4484u, 0xE99C7026u, 0xB45F7E41u, 0x3991D639u, 0x835339F4u, 0x9C845F8Bu, 0xBDF9283Bu,
    0x1FF897FFu, 0xDE05980Fu, 0xEF2F118Bu, 0x5A0A6D1Fu, 0x6D367ECFu, 0x27CB09B7u, 0x4F463F66u, 0x9E5FEA2Du,
    0x7527BAC7u, 0xEBE5F17Bu, 0x3D0739F7u, 0x8A5292EAu, 0x6BFB5FB1u, 0x1F8D5D08u, 0x56033046u, 0xFC7B6BABu);

/// m · 2/pi, of the bits from `position` on, modulo 2^192: the first word is the highest.
void multiply_two_over_pi(uvec2 m, uint position, out uint product[6]) {
  const uint word = position >> 5, shift = position & 31u;
  uint window[6], carry = 0u;
  for (int j = 5; j >= 0; --j) {
    const uint k = word + uint(j);
    window[j] = shift == 0u ? two_over_pi_f64[k] : two_over_pi_f64[k] << shift | two_over_pi_f64[k + 1u] >> 32u - shift;
    uint high, low, over;
    umulExtended(window[j], m.x, high, low);
    product[j] = uaddCarry(low, carry, over);
    carry = high + over;
  }
  carry = 0u;
  for (int j = 5; j >= 1; --j) {
    uint high, low, over, again;
    umulExtended(window[j], m.y, high, low);
    low = uaddCarry(low, carry, over);
    product[j - 1] = uaddCarry(product[j - 1], low, again);
    carry = high + over + again;
  }
}

/// The first 64 bits from the highest that is set, and how many are before it.
uvec2 leading_bits(uint words[6], out int zeros) {
  int first = 0;
  while (first < 3 && words[first] == 0u) ++first;
  const int up = words[first] == 0u ? 0 : 31 - findMSB(words[first]);
  zeros = 32 * first + up;
  if (up == 0) return uvec2(words[first], words[first + 1]);
  return uvec2(words[first] << up | words[first + 1] >> 32 - up, words[first + 1] << up | words[first + 2] >> 32 - up);
}

/// x - quadrant pi/2 in [-pi/4, pi/4] for finite |x| >= 1/2, after Payne and Hanek: the integer part of x · 2/pi is
/// wanted modulo 4, so that of 2/pi bits are enough from weight 2^(53 - exponent) down; 190 of the product leave 64
/// behind the worst cancellation, which takes 61, and the 55 that what is left out may reach.
precise double reduce_quadrant(double x, out uint quadrant) {
  const uvec2 bits = magnitude_of(x);
  const int exponent = int(bits.y >> 20) - 1023;
  uint words[6];
  multiply_two_over_pi(uvec2(bits.x, bits.y & 0x000FFFFFu | 0x00100000u), uint(exponent + 10), words);
  quadrant = words[0] >> 30;
  for (int j = 0; j < 6; ++j) words[j] = words[j] << 2 | (j < 5 ? words[j + 1] >> 30 : 0u);
  const bool is_upper = (words[0] & 0x80000000u) != 0u;
  if (is_upper) {  // the quadrant above is nearer
    ++quadrant;
    uint carry = 1u;
    for (int j = 5; j >= 0; --j) words[j] = uaddCarry(~words[j], carry, carry);
  }
  int zeros;
  const uvec2 lead = leading_bits(words, zeros);
  // In units of 2^(-64 - zeros), the last 11 bits by themselves.
  const double head = double(lead.x) * 4294967296.0lf + double(lead.y & 0xFFFFF800u), tail = double(lead.y & 0x7FFu);
  const dvec2 r = product_of(head, half_pi_f64);
  const double whole = r.x + (r.y + (head * half_pi_rest_f64 + tail * half_pi_f64));
  const double size = whole * double_power_of_two(-64 - zeros);
  const bool is_negative = sign_of(x) != 0u;
  if (is_negative) quadrant = 0u - quadrant;
  return is_upper != is_negative ? -size : size;
}

precise double sin_reduced(double r) {
  const double s = r * r;
  double q = 2.8114572543455206e-15lf;
  q = fma(q, s, -7.647163731819816e-13lf);
  q = fma(q, s, 1.6059043836821613e-10lf);
  q = fma(q, s, -2.505210838544172e-08lf);
  q = fma(q, s, 2.7557319223985893e-06lf);
  q = fma(q, s, -0.0001984126984126984lf);
  q = fma(q, s, 0.008333333333333333lf);
  q = fma(q, s, -0.16666666666666666lf);
  return fma(r, s * q, r);
}

precise double cos_reduced(double r) {
  const double s = r * r;
  double q = 4.779477332387385e-14lf;
  q = fma(q, s, -1.1470745597729725e-11lf);
  q = fma(q, s, 2.08767569878681e-09lf);
  q = fma(q, s, -2.755731922398589e-07lf);
  q = fma(q, s, 2.48015873015873e-05lf);
  q = fma(q, s, -0.001388888888888889lf);
  q = fma(q, s, 0.041666666666666664lf);
  const double rest = s * s * q, half_square = 0.5lf * s, head = 1.0lf - half_square;
  return head + (((1.0lf - head) - half_square) + rest);
}

/// Reduces finite x, unless it is small enough as it is.
double reduced(double x, out uint quadrant) {
  quadrant = 0u;
  return with_sign(x, 0u) > 0.78539816339744828lf ? reduce_quadrant(x, quadrant) : x;
}

/// sin(x + turned pi/2).
double sin_turned(double x, uint turned) {
  if (is_nan(x)) return x;
  if (is_infinite(x)) return double_nan();
  uint quadrant;
  const double r = reduced(x, quadrant);
  quadrant += turned;
  const double y = (quadrant & 1u) == 0u ? sin_reduced(r) : cos_reduced(r);
  return (quadrant & 2u) == 0u ? y : -y;
}

double sinf(double x) { return sin_turned(x, 0u); }
double cosf(double x) { return sin_turned(x, 1u); }

double tanf(double x) {
  if (is_nan(x) || is_zero(x)) return x;
  if (is_infinite(x)) return double_nan();
  uint quadrant;
  const double r = reduced(x, quadrant), s = sin_reduced(r), c = cos_reduced(r);
  return (quadrant & 1u) == 0u ? s / c : -c / s;
}

/// (asin(x) - x) / x for s = x^2 in [0, 1/4]: fdlibm's quotient of polynomials (e_asin.c).
precise double asin_beyond(double s) {
  double p = 3.47933107596021167570e-05lf;
  p = fma(p, s, 7.91534994289814532176e-04lf);
  p = fma(p, s, -4.00555345006794114027e-02lf);
  p = fma(p, s, 2.01212532134862925881e-01lf);
  p = fma(p, s, -3.25565818622400915405e-01lf);
  p = fma(p, s, 1.66666666666666657415e-01lf);
  double q = 7.70381505559019352791e-02lf;
  q = fma(q, s, -6.88283971605453293030e-01lf);
  q = fma(q, s, 2.02094576023350569471e+00lf);
  q = fma(q, s, -2.40339491173441421878e+00lf);
  q = fma(q, s, 1.0lf);
  return s * p / q;
}

precise double asinf(double x) {
  if (is_nan(x)) return x;
  const double a = with_sign(x, 0u);
  if (a > 1.0lf) return double_nan();
  if (a <= 0.5lf) return fma(x, asin_beyond(x * x), x);
  const double s = 0.5lf * (1.0lf - a), r = square_root(s);  // asin x = pi/2 - 2 asin sqrt((1 - x) / 2)
  return with_sign(half_pi_f64 - (2.0lf * r + (2.0lf * (r * asin_beyond(s)) - half_pi_rest_f64)), x);
}

precise double acosf(double x) {
  if (is_nan(x)) return x;
  const double a = with_sign(x, 0u);
  if (a > 1.0lf) return double_nan();
  if (a <= 0.5lf) return half_pi_f64 - (x + (x * asin_beyond(x * x) - half_pi_rest_f64));
  const double s = 0.5lf * (1.0lf - a), r = square_root(s), half_angle = fma(r, asin_beyond(s), r);
  return x > 0.0lf ? 2.0lf * half_angle : 2.0lf * (half_pi_f64 - (half_angle - half_pi_rest_f64));
}

/// atan(t) for t in [0, 1], by fdlibm's polynomial of what is at most 7/16 (s_atan.c); beyond, the angle from 1/2 or 1.
precise double atan_of_unit(double t) {
  double r = t, base = 0.0lf, base_rest = 0.0lf;
  if (t >= 0.6875lf) {
    r = (t - 1.0lf) / (t + 1.0lf);
    base = 0.5lf * half_pi_f64;
    base_rest = 0.5lf * half_pi_rest_f64;
  } else if (t >= 0.4375lf) {
    r = (2.0lf * t - 1.0lf) / (2.0lf + t);
    base = 4.63647609000806093515e-01lf;
    base_rest = 2.26987774529616870924e-17lf;
  }
  const double s = r * r;
  double q = 1.62858201153657823623e-02lf;
  q = fma(q, s, -3.65315727442169155270e-02lf);
  q = fma(q, s, 4.97687799461593236017e-02lf);
  q = fma(q, s, -5.83357013379057348645e-02lf);
  q = fma(q, s, 6.66107313738753120669e-02lf);
  q = fma(q, s, -7.69187620504482999495e-02lf);
  q = fma(q, s, 9.09088713343650656196e-02lf);
  q = fma(q, s, -1.11111104054623557880e-01lf);
  q = fma(q, s, 1.42857142725034663711e-01lf);
  q = fma(q, s, -1.99999999998764832476e-01lf);
  q = fma(q, s, 3.33333333333329318027e-01lf);
  return base - ((r * (s * q) - base_rest) - r);
}

precise double atanf(double x) {
  if (is_nan(x)) return x;
  const double a = with_sign(x, 0u);
  if (a <= 1.0lf) return with_sign(atan_of_unit(a), x);
  return with_sign(half_pi_f64 - (atan_of_unit(1.0lf / min(a, 1e300lf)) - half_pi_rest_f64), x);
}

/// The angle of the point (x, y) in [-pi, pi].
precise double atan2f(double y, double x) {
  if (is_nan(x) || is_nan(y)) return double_nan();
  // Compared by their bits: a device may take subnormal numbers for 0.
  const uvec2 across = magnitude_of(x), up = magnitude_of(y);
  const bool is_steep = is_smaller(across, up);
  double t = up == across ? 1.0lf : is_steep ? divide(with_sign(x, 0u), with_sign(y, 0u))
                                             : divide(with_sign(y, 0u), with_sign(x, 0u));
  if (is_zero(x) && is_zero(y)) t = 0.0lf;
  double angle = atan_of_unit(t);
  if (is_steep) angle = half_pi_f64 - (angle - half_pi_rest_f64);
  if (sign_of(x) != 0u) angle = 2.0lf * half_pi_f64 - (angle - 2.0lf * half_pi_rest_f64);
  return with_sign(angle, y);
}

#endif
