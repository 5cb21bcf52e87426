// a b + c with one rounding, in integers: fma() of a device may be two, and may take
// subnormals for 0. The includer asks for 64-bit integers in the variant f64.
#ifndef PLUMB_FUSED_GLSL
#define PLUMB_FUSED_GLSL

#include "gpu_vulkan/glsl/arithmetic.glsl"

#ifdef VARIANT_f64
#define LIMB uint64_t
#define REAL double
const int limb_bits = 64, fraction_bits = 52, bias = 1023;
LIMB bits_of(double x) { return packUint2x32(unpackDouble2x32(x)); }
double from_limb(LIMB bits) { return packDouble2x32(unpackUint2x32(bits)); }
int top_bit(LIMB x) {
  const uvec2 words = unpackUint2x32(x);
  return words.y != 0u ? 32 + findMSB(words.y) : findMSB(words.x);
}
#else
#define LIMB uint
#define REAL float
const int limb_bits = 32, fraction_bits = 23, bias = 127;
LIMB bits_of(float x) { return floatBitsToUint(x); }
float from_limb(LIMB bits) { return uintBitsToFloat(bits); }
int top_bit(LIMB x) { return findMSB(x); }
#endif

const LIMB one_limb = LIMB(1), sign_limb = one_limb << (limb_bits - 1);
const LIMB infinity_limb = LIMB(2 * bias + 1) << fraction_bits;

struct Wide {
  LIMB low, high;
};

#ifdef VARIANT_f64
Wide wide_product(LIMB a, LIMB b) {
  const LIMB half_limb = LIMB(0xFFFFFFFFu), a0 = a & half_limb, a1 = a >> 32, b0 = b & half_limb, b1 = b >> 32;
  const LIMB low = a0 * b0, middle = a1 * b0 + (low >> 32), other = a0 * b1 + (middle & half_limb);
  return Wide(other << 32 | low & half_limb, a1 * b1 + (middle >> 32) + (other >> 32));
}
#else
Wide wide_product(LIMB a, LIMB b) {
  Wide p;
  umulExtended(a, b, p.high, p.low);
  return p;
}
#endif

/// w 2^n for n in [0, 2 limb_bits).
Wide shifted_up(Wide w, int n) {
  if (n == 0) return w;
  if (n >= limb_bits) return Wide(LIMB(0), w.low << (n - limb_bits));
  return Wide(w.low << n, w.high << n | w.low >> (limb_bits - n));
}

/// w / 2^n; the last bit is 1 when anything was lost.
Wide shifted_down(Wide w, int n) {
  if (n <= 0) return w;
  if (n >= 2 * limb_bits) return Wide((w.low | w.high) != LIMB(0) ? one_limb : LIMB(0), LIMB(0));
  LIMB lost;
  if (n >= limb_bits) {
    lost = w.low;
    if (n > limb_bits) lost |= w.high << (2 * limb_bits - n);
    w = Wide(w.high >> (n - limb_bits), LIMB(0));
  } else {
    lost = w.low << (limb_bits - n);
    w = Wide(w.low >> n | w.high << (limb_bits - n), w.high >> n);
  }
  if (lost != LIMB(0)) w.low |= one_limb;
  return w;
}

Wide wide_sum(Wide a, Wide b) {
  const LIMB low = a.low + b.low;
  return Wide(low, a.high + b.high + (low < a.low ? one_limb : LIMB(0)));
}
Wide wide_difference(Wide a, Wide b) {
  return Wide(a.low - b.low, a.high - b.high - (a.low < b.low ? one_limb : LIMB(0)));
}
bool is_less(Wide a, Wide b) { return a.high < b.high || (a.high == b.high && a.low < b.low); }

/// The integer significand of a finite magnitude that is not 0, its first bit set, and
/// the exponent of that bit.
LIMB whole_significand(LIMB magnitude, out int exponent) {
  const int field = int(magnitude >> fraction_bits);
  const LIMB fraction = magnitude & ((one_limb << fraction_bits) - one_limb);
  exponent = max(field, 1) - bias;
  if (field != 0) return fraction | one_limb << fraction_bits;
  const int shift = fraction_bits - top_bit(fraction);
  exponent -= shift;
  return fraction << shift;
}

/// The bits of w 2^scale, w not 0: to nearest even, or to odd: truncated, the last bit 1 when
/// anything was lost, of which a rounding to two bits less makes what it makes of the exact.
LIMB rounded(Wide w, int scale, bool to_odd) {
  const int top = w.high != LIMB(0) ? limb_bits + top_bit(w.high) : top_bit(w.low), up = 2 * limb_bits - 2 - top;
  w = shifted_up(w, up);
  const int exponent = top + scale, last = max(exponent - fraction_bits, 1 - bias - fraction_bits);
  const LIMB kept_and_two = shifted_down(w, last - (scale - up) - 2).low;
  const uint rest = uint(kept_and_two) & 3u;
  LIMB kept = kept_and_two >> 2;
  if (to_odd) kept |= LIMB(rest != 0u ? 1 : 0);
  else if (rest > 2u || (rest == 2u && (uint(kept) & 1u) != 0u)) kept += one_limb;
  // The first bit of a normal significand adds one to the exponent field, a carry another.
  const LIMB bits = (exponent < 1 - bias ? LIMB(0) : LIMB(exponent + bias - 1) << fraction_bits) + kept;
  if (exponent > bias || bits >= infinity_limb) return to_odd ? infinity_limb - one_limb : infinity_limb;
  return bits;
}

/// a b + c.
REAL fused(REAL a, REAL b, REAL c, bool to_odd) {
  const LIMB sign = (bits_of(a) ^ bits_of(b)) & sign_limb, sign_c = bits_of(c) & sign_limb;
  const LIMB x = bits_of(a) & ~sign_limb, y = bits_of(b) & ~sign_limb, z = bits_of(c) & ~sign_limb;
  const bool no_product = is_zero(a) || is_zero(b), nothing = is_zero(c);
  const LIMB nan = infinity_limb | one_limb << (fraction_bits - 1);
  if (x > infinity_limb || y > infinity_limb || z > infinity_limb) return from_limb(nan);
  if (x == infinity_limb || y == infinity_limb) {
    const bool cancels = z == infinity_limb && sign != sign_c;
    return from_limb(no_product || cancels ? nan : sign | infinity_limb);
  }
  if (z == infinity_limb || (no_product && !nothing)) return c;
  if (no_product) return from_limb(sign & sign_c);
  int ex, ey, ez;
  const LIMB mx = whole_significand(x, ex), my = whole_significand(y, ey);
  const int unit = 2 * limb_bits - 4;  // the lowest first bit of either term
  Wide p = shifted_up(wide_product(mx, my), unit - 2 * fraction_bits);
  if (nothing) return from_limb(sign | rounded(p, ex + ey - unit, to_odd));
  Wide q = shifted_up(Wide(whole_significand(z, ez), LIMB(0)), unit - fraction_bits);
  const int scale = max(ex + ey, ez);
  p = shifted_down(p, scale - (ex + ey));
  q = shifted_down(q, scale - ez);
  if (sign == sign_c) return from_limb(sign | rounded(wide_sum(p, q), scale - unit, to_odd));
  if (p == q) return from_limb(LIMB(0));
  const bool is_c = is_less(p, q);
  const Wide difference = is_c ? wide_difference(q, p) : wide_difference(p, q);
  return from_limb((is_c ? sign_c : sign) | rounded(difference, scale - unit, to_odd));
}

#endif
