// Circular functions and their inverses in f32 over the whole range; docs/accuracy.md has their limits.
#ifndef PLUMB_TRIGONOMETRY_GLSL
#define PLUMB_TRIGONOMETRY_GLSL

#include "gpu_vulkan/glsl/math.glsl"

const float half_pi = 1.57079637, half_pi_rest = -4.37113883e-8;  // their sum is pi/2

/// 2/pi: word k holds the bits of weight 2^(31 - 32k) and less.
const uint two_over_pi[9] = uint[9](0u, 0xA2F9836Eu, 0x4E441529u, 0xFC2757D1u, 0xF534DDC0u, 0xDB629599u, 0x3C439041u,
                                    0xFE5163ABu, 0xDEBBC561u);

/// Word k of 2/pi as it stands after a shift to the left.
uint shifted_word(uint k, uint shift) {
  return shift == 0u ? two_over_pi[k] : two_over_pi[k] << shift | two_over_pi[k + 1u] >> 32u - shift;
}

/// x - quadrant pi/2 in [-pi/4, pi/4] for finite |x| >= 1/2, after Payne and Hanek: of
/// x · 2/pi the integer part is wanted modulo 4, so that from 2/pi the bits from weight 2^(24 -
/// exponent) down are enough; 96 of them leave more than 60 after the worst cancellation.
precise float reduce_quadrant(float x, out uint quadrant) {
  const uint magnitude = magnitude_of(x);
  const int exponent = int(magnitude >> 23) - 127;
  const uint m = magnitude & 0x007FFFFFu | 0x00800000u;
  const uint position = uint(exponent + 7), word = position >> 5, shift = position & 31u;
  uint high0, low0, high1, low1, carry;
  umulExtended(m, shifted_word(word + 2u, shift), high0, low0);
  umulExtended(m, shifted_word(word + 1u, shift), high1, low1);
  const uint middle = uaddCarry(low1, high0, carry);
  const uint top = m * shifted_word(word, shift) + high1 + carry;
  quadrant = top >> 30;
  uint high = top << 2 | middle >> 30, low = middle << 2 | low0 >> 30;  // the fraction, in units of 2^-64
  const bool is_upper = (high & 0x80000000u) != 0u;
  if (is_upper) {  // the quadrant above is nearer
    ++quadrant;
    low = ~low + 1u;
    high = ~high + (low == 0u ? 1u : 0u);
  }
  int shifted = 0;
  if (high == 0u) {
    high = low;
    low = 0u;
    shifted = 32;
  }
  const int up = 31 - findMSB(high);
  if (up > 0) {
    high = high << up | low >> 32 - up;
    low <<= up;
  }
  shifted += up;
  const float head = float(high >> 8), tail = float(high & 0xFFu) * 0.00390625;  // in units of 2^(-24 - shifted)
  const vec2 r = product_of(head, half_pi);
  const float scaled = (r.x + (r.y + (head * half_pi_rest + tail * half_pi))) * power_of_two(-24 - shifted);
  if (sign_of(x) == 0u) return is_upper ? -scaled : scaled;
  quadrant = 0u - quadrant;
  return is_upper ? scaled : -scaled;
}

/// Reduces x, unless it is small enough as it is.
float reduced(float x, out uint quadrant) {
  quadrant = 0u;
  if (abs(x) <= 0.785398163) return x;
  return reduce_quadrant(x, quadrant);
}

precise float sin_reduced(float r) {
  const float s = r * r;
  float q = 2.91666584e-6;
  q = fma(q, s, -1.98608395e-4);
  q = fma(q, s, 8.33339617e-3);
  q = fma(q, s, -0.166666672);
  return fma(r, s * q, r);
}

precise float cos_reduced(float r) {
  const float s = r * r;
  float q = 2.45437135e-5;
  q = fma(q, s, -1.38882711e-3);
  q = fma(q, s, 4.16666642e-2);
  const float rest = s * s * q, half_square = 0.5 * s, head = 1.0 - half_square;
  return head + (((1.0 - head) - half_square) + rest);
}

/// sin(r + quadrant pi/2).
float sin_in_quadrant(float r, uint quadrant) {
  const float y = (quadrant & 1u) == 0u ? sin_reduced(r) : cos_reduced(r);
  return (quadrant & 2u) == 0u ? y : -y;
}

float sinf(float x) {
  if (magnitude_of(x) >= infinity_bits) return quiet_nan();
  uint quadrant;
  const float r = reduced(x, quadrant);
  return sin_in_quadrant(r, quadrant);
}

float cosf(float x) {
  if (magnitude_of(x) >= infinity_bits) return quiet_nan();
  uint quadrant;
  const float r = reduced(x, quadrant);
  return sin_in_quadrant(r, quadrant + 1u);
}

float tanf(float x) {
  if (magnitude_of(x) >= infinity_bits) return quiet_nan();
  if (is_zero(x)) return x;
  uint quadrant;
  const float r = reduced(x, quadrant), s = sin_reduced(r), c = cos_reduced(r);
  return (quadrant & 1u) == 0u ? quotient(s, c) : quotient(-c, s);
}

/// (asin(x) - x) / x for s = x^2 in [0, 1/4].
precise float asin_beyond(float s) {
  float q = 3.44468802e-2;
  q = fma(q, s, 1.66400298e-2);
  q = fma(q, s, 3.12247798e-2);
  q = fma(q, s, 4.45862561e-2);
  q = fma(q, s, 7.50015080e-2);
  q = fma(q, s, 0.166666657);
  return s * q;
}

precise float asinf(float x) {
  const float a = abs(x);
  if (magnitude_of(x) > 0x3F800000u) return quiet_nan();  // beyond 1
  if (a <= 0.5) return fma(x, asin_beyond(x * x), x);
  const float s = 0.5 * (1.0 - a), r = square_root(s);  // asin x = pi/2 - 2 asin sqrt((1 - x) / 2)
  return with_sign(half_pi - (2.0 * r + (2.0 * (r * asin_beyond(s)) - half_pi_rest)), x);
}

precise float acosf(float x) {
  const float a = abs(x);
  if (magnitude_of(x) > 0x3F800000u) return quiet_nan();
  if (a <= 0.5) return half_pi - (x + (x * asin_beyond(x * x) - half_pi_rest));
  const float s = 0.5 * (1.0 - a), r = square_root(s), half_angle = fma(r, asin_beyond(s), r);
  return x > 0.0 ? 2.0 * half_angle : 2.0 * (half_pi - (half_angle - half_pi_rest));
}

/// atan(t) for t in [0, 1].
precise float atan_of_unit(float t) {
  const float s = t * t;
  float q = -2.40649027e-3;
  q = fma(q, s, 1.35827065e-2);
  q = fma(q, s, -3.59863900e-2);
  q = fma(q, s, 6.25903010e-2);
  q = fma(q, s, -8.66040885e-2);
  q = fma(q, s, 0.110343926);
  q = fma(q, s, -0.142785817);
  q = fma(q, s, 0.199997321);
  q = fma(q, s, -0.333333313);
  return fma(t, s * q, t);
}

precise float atanf(float x) {
  if (is_nan(x)) return x;
  const float a = abs(x);
  if (a <= 1.0) return with_sign(atan_of_unit(a), x);
  const float rest = atan_of_unit(quotient(1.0, min(a, 1e20)));
  return with_sign(half_pi - (rest - half_pi_rest), x);
}

/// The angle of the point (x, y) in [-pi, pi].
precise float atan2f(float y, float x) {
  const uint across = magnitude_of(x), up = magnitude_of(y), low = min(across, up), high = max(across, up);
  if (high > infinity_bits) return quiet_nan();
  float t = low == high ? 1.0 : divide(uintBitsToFloat(low), uintBitsToFloat(high));
  if (is_none(high)) t = 0.0;
  float angle = atan_of_unit(t);
  if (up > across) angle = half_pi - (angle - half_pi_rest);
  if (sign_of(x) != 0u) angle = 2.0 * half_pi - (angle - 2.0 * half_pi_rest);
  return with_sign(angle, y);
}

#endif
