// Folds of reduce.comp over floats. A sum is held with what rounding lost; the
// others in the first number only; log_sum_exp as (maximum, Σ exp(x - maximum)), l2 as the norm and what its
// rounding lost.
#define HAS_FUNCTIONS
#ifdef VARIANT_f64
#define REAL double
#define PAIR dvec2
#include "gpu_vulkan/glsl/math_f64.glsl"
#else
#include "gpu_vulkan/glsl/math.glsl"
#endif
#include "gpu_vulkan/glsl/sum.glsl"
#include "gpu_vulkan/glsl/units.glsl"
#define HELD PAIR

// Further ways to fold, of l2: the largest magnitude, and squares in its unit.
const uint LARGEST = 10u, SCALED_SQUARE = 11u;

#ifdef VARIANT_f64
REAL infinity() { return double_infinity(); }
/// 2^n, near the ends of the range such a power that 2^-n is normal, too.
REAL unit_of(int n) { return double_power_of_two(clamp(n, -1022, 1022)); }

/// Whether the root of a sum of squares is the norm: neither the sum nor squares that matter have left the range. Of a
/// magnitude: whether its halves, and products of its factors' halves, are normal.
bool is_in_range(REAL sum) {
  const uint bits = unpackDouble2x32(sum).y;
  return bits >= 0x07B00000u && bits < 0x7FF00000u;  // from 2^-900 on
}

/// A device's quotient may be of f32 quality.
REAL mean_of(REAL sum, REAL count) {
  return is_finite(sum) && count != 0.0lf ? quotient(sum, count) : divide(sum, count);
}
#else
REAL infinity() { return positive_infinity(); }
REAL unit_of(int n) { return power_of_two(clamp(n, -126, 126)); }

bool is_in_range(REAL sum) {
  const uint bits = floatBitsToUint(sum);
  return bits >= 0x17800000u && bits < infinity_bits;  // from 2^-80 on
}

REAL mean_of(REAL sum, REAL count) { return divide(sum, count); }
#endif

HELD neutral(uint how) {
  if (how == MAX) return HELD(-infinity(), 0.0);
  if (how == MIN) return HELD(infinity(), 0.0);
  return HELD(how == PRODUCT ? 1.0 : 0.0, 0.0);
}

/// A product with what rounding lost: of many factors near 1 the losses add up. Small numbers go without: halves of
/// them, or products of these, may be flushed to 0, and what is left is no loss.
HELD times(HELD a, HELD b) {
  const HELD product = product_of(a.x, b.x);
  if (!is_in_range(abs(product.x)) || !is_in_range(abs(a.x)) || !is_in_range(abs(b.x))) return HELD(product.x, 0.0);
  precise const REAL lost = product.y + (a.x * b.y + a.y * b.x);
  return sum_of_ordered(product.x, lost);
}

HELD combine(HELD a, HELD b, uint how) {
  if (how == MAX || how == LARGEST) return is_nan(a.x) || (!is_nan(b.x) && a.x > b.x) ? a : b;
  if (how == MIN) return is_nan(a.x) || (!is_nan(b.x) && a.x < b.x) ? a : b;
  if (how == PRODUCT) return times(a, b);
  return plus(a, b);
}

HELD term(REAL x, uint how, HELD peak) {
  if (how == L1 || how == LARGEST) x = abs(x);
  if (how == SCALED_SQUARE) x *= peak.x;
  if (how == SUM_SQUARE || how == L2 || how == SCALED_SQUARE) x = x * x;
  if (how == LOG_SUM_EXP) x = expf(x - peak.x);
  return HELD(x, 0.0);
}

/// A partial result as a term of the whole.
HELD partial_term(HELD partial, uint how, HELD peak) {
  if (function == LOG_SUM_EXP) {
    if (how == MAX) return HELD(partial.x, 0.0);
    return HELD(partial.y == REAL(0) ? REAL(0) : partial.y * expf(partial.x - peak.x), 0.0);
  }
  if (function == L2) {
    if (how == LARGEST) return HELD(partial.x, 0.0);
    const HELD norm = how == SCALED_SQUARE ? partial * peak.x : partial;
    return times(norm, norm);
  }
  return partial;
}

/// A line with no finite maximum has nothing to sum: its maximum is the result.
HELD with_peak(HELD peak, HELD sum) { return HELD(peak.x, is_finite(peak.x) ? total(sum) : REAL(0)); }

/// The root of a sum of squares that is in range, or 0, infinity or NaN, and what rounding it lost.
HELD root_of(HELD sum) {
  const REAL all = total(sum), root = square_root(all);
  if (!is_in_range(all)) return HELD(root, 0.0);
  const HELD square = product_of(root, root);
  precise const REAL rest = ((sum.x - square.x) - square.y) + sum.y, lost = rest * (REAL(0.5) / root);
  return HELD(root, lost);
}

REAL finish(HELD folded, uint count) {
  switch (function) {
    case MAX:
    case MIN:
    case PRODUCT: return folded.x;
    case MEAN: return mean_of(total(folded), REAL(count));
    case LOG_SUM: return logf(total(folded));
    case LOG_SUM_EXP: return folded.y == REAL(0) ? folded.x : folded.x + logf(folded.y);
    default: return total(folded);
  }
}
