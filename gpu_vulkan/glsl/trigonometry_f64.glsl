// Sine and cosine of doubles over the whole range, within 4 ulp.
#ifndef PLUMB_TRIGONOMETRY_F64_GLSL
#define PLUMB_TRIGONOMETRY_F64_GLSL

#include "gpu_vulkan/glsl/math_f64.glsl"

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
  const double fraction = double(lead.x) * 4294967296.0lf + double(lead.y);  // in units of 2^(-64 - zeros)
  const double size = fraction * 1.5707963267948966lf * double_power_of_two(-64 - zeros);
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

/// sin(x + turned pi/2).
double sin_turned(double x, uint turned) {
  if (is_nan(x)) return x;
  if (is_infinite(x)) return double_nan();
  uint quadrant = 0u;
  double r = x;
  if (with_sign(x, 0u) > 0.78539816339744828lf) r = reduce_quadrant(x, quadrant);
  quadrant += turned;
  const double y = (quadrant & 1u) == 0u ? sin_reduced(r) : cos_reduced(r);
  return (quadrant & 2u) == 0u ? y : -y;
}

double sinf(double x) { return sin_turned(x, 0u); }
double cosf(double x) { return sin_turned(x, 1u); }

#endif
