// Folds of reduce.comp over floats. A sum is held with what rounding lost; the
// others in the first number only; log_sum_exp as (maximum, Σ exp(x - maximum)), l2 as the norm and what its
// rounding lost.
#ifdef VARIANT_f64
#define REAL double
#define PAIR dvec2
#else
#define HAS_FUNCTIONS
#include "gpu_vulkan/glsl/math.glsl"
#endif
#include "gpu_vulkan/glsl/sum.glsl"
#define HELD PAIR

// Further ways to fold, of l2: the largest magnitude, and squares in its unit.
const uint LARGEST = 10u, SCALED_SQUARE = 11u;

#ifdef VARIANT_f64
REAL infinity() { return packDouble2x32(uvec2(0u, 0x7FF00000u)); }
bool unordered(REAL x) { return !is_finite(x) && x != infinity() && x != -infinity(); }
#else
REAL infinity() { return positive_infinity(); }
bool unordered(REAL x) { return is_nan(x); }
#endif

HELD neutral(uint how) {
  if (how == MAX) return HELD(-infinity(), 0.0);
  if (how == MIN) return HELD(infinity(), 0.0);
  return HELD(how == PRODUCT ? 1.0 : 0.0, 0.0);
}

/// A product, in f32 with what rounding lost: of many factors near 1 the losses add up.
HELD times(HELD a, HELD b) {
#ifdef VARIANT_f64
  return HELD(a.x * b.x, 0.0);
#else
  const vec2 product = product_of(a.x, b.x);
  if (!is_finite(product.x) || product.x == 0.0) return HELD(product.x, 0.0);
  precise const float lost = product.y + (a.x * b.y + a.y * b.x);
  return sum_of_ordered(product.x, lost);
#endif
}

HELD combine(HELD a, HELD b, uint how) {
  if (how == MAX || how == LARGEST) return unordered(a.x) || (!unordered(b.x) && a.x > b.x) ? a : b;
  if (how == MIN) return unordered(a.x) || (!unordered(b.x) && a.x < b.x) ? a : b;
  if (how == PRODUCT) return times(a, b);
  return plus(a, b);
}

HELD term(REAL x, uint how, HELD peak) {
  if (how == L1 || how == LARGEST) x = abs(x);
  if (how == SCALED_SQUARE) x *= peak.x;
  if (how == SUM_SQUARE || how == L2 || how == SCALED_SQUARE) x = x * x;
#ifdef HAS_FUNCTIONS
  if (how == LOG_SUM_EXP) x = expf(x - peak.x);
#endif
  return HELD(x, 0.0);
}

/// A partial result as a term of the whole.
HELD partial_term(HELD partial, uint how, HELD peak) {
#ifdef HAS_FUNCTIONS
  if (function == LOG_SUM_EXP) {
    if (how == MAX) return HELD(partial.x, 0.0);
    return HELD(partial.y == 0.0 ? 0.0 : partial.y * expf(partial.x - peak.x), 0.0);
  }
  if (function == L2) {
    if (how == LARGEST) return HELD(partial.x, 0.0);
    const HELD norm = how == SCALED_SQUARE ? partial * peak.x : partial;
    return times(norm, norm);
  }
#endif
  return partial;
}

#ifdef HAS_FUNCTIONS
/// A line with no finite maximum has nothing to sum: its maximum is the result.
HELD with_peak(HELD peak, HELD sum) {
  return HELD(peak.x, is_finite(peak.x) ? total(sum) : 0.0);
}

/// Whether the root of a sum of squares is the norm: neither the sum nor squares that matter have left the range.
bool is_in_range(REAL sum) {
  const uint bits = floatBitsToUint(sum);
  return bits >= 0x17800000u && bits < infinity_bits;  // from 2^-80 on
}

/// The root of a sum of squares that is in range, or 0, infinity or NaN, and what rounding it lost.
HELD root_of(HELD sum) {
  const REAL all = total(sum), root = square_root(all);
  if (!is_in_range(all)) return HELD(root, 0.0);
  const vec2 square = product_of(root, root);
  precise const REAL rest = ((sum.x - square.x) - square.y) + sum.y, lost = rest * (0.5 / root);
  return HELD(root, lost);
}

/// The exponent of a magnitude, so that both 2^n and 2^-n are normal; 0 of 0, of infinity and of NaN.
int exponent_of(REAL peak) {
  if (is_zero(peak) || !is_finite(peak)) return 0;
  return clamp(int(magnitude_of(peak) >> 23) - 127, -126, 126);
}

REAL finish(HELD folded, float count) {
  switch (function) {
    case MAX:
    case MIN:
    case PRODUCT: return folded.x;
    case MEAN: return divide(total(folded), count);
    case LOG_SUM: return logf(total(folded));
    case LOG_SUM_EXP: return folded.y == 0.0 ? folded.x : folded.x + logf(folded.y);
    default: return total(folded);
  }
}
#else
REAL finish(HELD folded, float count) {
  if (function == MAX || function == MIN || function == PRODUCT) return folded.x;
  const double sum = total(folded), n = double(count);
  if (function != MEAN || !is_finite(sum)) return sum;
  if (count == 0.0) return packDouble2x32(uvec2(0u, 0x7FF80000u));
  precise const double q = sum / n, closer = q + fma(-q, n, sum) / n;  // a device's quotient may be of f32 quality
  return closer;
}
#endif
