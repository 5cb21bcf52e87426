#pragma once

#include <algorithm>
#include <cmath>

#include "parity/bounds/error_model.hpp"
#include "parity/bounds/function_limits.hpp"

/// Parts of the limits of composed ops that hold for whole tensors and for single elements alike: a number X is a Real,
/// the elements of a tensor as an expression, or a double. Errors are in units of the roundoff u of what is computed
/// in, unless a formula says otherwise.
namespace plumb::parity::bounds::formulas {

/// The largest relative error of a function.
inline double error_of(ir::ops::UnaryFunction function) { return 2 * limit_of(function)->ulps; }

/// The difference of x from 1, as expressions have it.
inline double one_less(double x) { return 1 - x; }
inline Real one_less(Real x) { return x.builder->constant(1) - x; }
inline double square(double x) { return x * x; }

// ---- exponentials over a line (verdict.md V28)

/// The largest relative error of e^(x - top), `depth` being |x - top|: that of the difference, and of the function.
template <class X>
X error_of_exponential(const X& depth) {
  return depth + error_of(ir::ops::UnaryFunction::exp);
}

/// An element y of a softmax by the error `most` of its own exponential, which stands above and below the line, and
/// roundings: of the division, and of both its operands.
template <class X>
X own_share(const X& y, const X& most) {
  return one_less(y) * most;
}
inline constexpr double roundings_of_share = 3;

/// Relative to 1: an element y of a log-softmax by the roundings of the difference from the largest, and of the last.
template <class X>
X roundings_of_difference(const X& depth, const X& y) {
  using std::abs;
  return depth + abs(y);
}

/// Likewise: a logarithm by its own rounding.
template <class X>
X error_of_log(const X& y) {
  using std::abs;
  return error_of(ir::ops::UnaryFunction::log) * abs(y);
}

// ---- norms (verdict.md V31)

/// Roundings of (x - mean) / deviation · scale, beside those of the sums.
inline double roundings_of_norm(bool centred) {
  return error_of(ir::ops::UnaryFunction::rsqrt) + 3 + (centred ? 1 : 0);
}
/// Those of 1 / deviation.
inline double roundings_of_inverse() { return error_of(ir::ops::UnaryFunction::rsqrt) + 3; }
/// Those of a variance, beside those of its sum. Merging the means of slices adds more.
inline double roundings_of_variance(bool merges_slices) { return merges_slices ? 9 : 3; }

/// The relative error of 1 / deviation, before it grows(), by the error of the variance. The root of nearly nothing is
/// off by the root of the error.
template <class E, class X>
E error_of_inverse(const E& of_variance, const X& deviation, const X& divisor) {
  using std::min;
  using std::sqrt;
  return min(0.5 * of_variance / deviation, sqrt(of_variance)) / divisor;
}

/// 1 / √(1 - 2r) - 1 is at most that, to r = 1/4; beyond it a deviation is not known.
inline constexpr double largest_known_error = 0.25;
template <class X>
X grown(const X& r) {
  return r * (3 * r + 1.0);
}

// ---- attention (verdict.md V29, V30)

/// Keys below this share of the largest influence do not count.
inline constexpr double share_that_matters = 0x1p-30;
/// Scores that are off by more, relative to 1, are not known well enough for a formula of the first order.
inline constexpr double well_known = 0.125;
/// The largest relative error of c·tanh(s / c).
inline constexpr double error_of_softcap = 10;
/// Roundings of an element, beside those of its sums.
inline constexpr double roundings_of_attention = 3;

/// The factor that makes a limit of the first order one of all orders, where scores are off by `wrong`, relative to 1.
template <class X>
X all_orders(const X& wrong) {
  return 2 * wrong + 1.0;
}

/// The slope of a softcap where it is steepest: at the smallest |s| / c that a score may have.
template <class X>
X slope_of_softcap(const X& nearest) {
  using std::tanh;
  return one_less(square(tanh(nearest)));
}

}  // namespace plumb::parity::bounds::formulas
