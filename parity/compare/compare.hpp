// The one comparison of tensors: what is allowed, and everything that is measured of the difference.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/tensor.hpp"
#include "parity/compare/ratio_map.hpp"

namespace plumb::parity::compare {

inline constexpr double not_computed = std::numeric_limits<double>::quiet_NaN();

/// Limits of |c - y|, element by element, in f64 tensors of the output's shape: one, λσ + d, that chance exceeds as
/// rarely as λ says, and one that nothing but a defect exceeds.
struct Limits {
  ir::Tensor probable, certain;
  std::vector<bool> apart = {};  ///< elements that are not judged; empty where all are
  /// λσ of `probable`; nothing where it is `probable` less `fixed` of the truth or, where that is NaN as well, unknown.
  std::optional<ir::Tensor> chance = {};
  double fixed = std::numeric_limits<double>::quiet_NaN();
};

/// The numbers that an element may be, given the truth y. Made by bounded.hpp.
struct Allowed {
  enum class Rule {
    bits,     ///< y rounded to the dtype, the very bits; a NaN for a NaN
    exact,    ///< y rounded to the dtype; -0 is +0
    rounded,  ///< that, or either neighbour where y is within 2^-45 of a tie
    within,   ///< no further from y than `at`
  };

  Rule rule = Rule::exact;
  std::shared_ptr<const Limits> limits = {};  ///< where the data decide
  double of_limits = 1;                       ///< how many of them
  double lambda = 0;                          ///< the standard deviations that they allow for; 0: unknown

  double relative = 0;        ///< times |y|
  double ulps = 0;            ///< in ulps of the type that is computed in, at y
  double absolute = 0;        ///< for every element of the tensor
  double storage = 0;         ///< ulps of the dtype at y, added: its own rounding
  double subnormal = 0;       ///< added: results below it may be flushed to zero
  bool decides_ties = false;  ///< the truth says to which neighbour a tie is rounded: no other passes as `rounded`
  bool by_part = false;       ///< |y| is that of each part of a complex element, not its modulus

  /// The largest |c - y| allowed of element `index`, where |y| is `magnitude`, for an output of this dtype.
  double at(double magnitude, ir::DType dtype, std::uint64_t index = 0) const;
};

constexpr auto enum_names(Allowed::Rule) {
  return std::array<std::string_view, 4>{"bits", "exact", "rounded", "within"};
}

/// The spacing of the floats of a dtype around y (ops.md 1.6): of a part for complex types.
double ulp_of(double y, ir::DType dtype);

/// An extreme and where it is: a flat row-major element index.
struct Extreme {
  double value = not_computed;
  std::uint64_t index = 0;
};

/// One element that went wrong, or came closest to it. A complex element is stated by its
/// worse part.
struct Worst {
  std::uint64_t index = 0;
  double expected = not_computed, got = not_computed, allowed = not_computed;
  double ratio = not_computed;  ///< |got - expected| / allowed; infinite where no error is allowed
};

/// The limit of the worst element: its rule, how much of it is chance, λσ, and what nothing but a defect exceeds. NaN
/// where the rule has no such part, and of complex elements that are held by their modulus.
struct WorstLimit {
  std::optional<Allowed::Rule> rule = {};
  double chance = not_computed, certain = not_computed;
};

/// Everything that is known about the difference of two tensors. Errors are over
/// elements that are finite on both sides; what was not computed is NaN.
struct Comparison {
  static constexpr std::size_t ulp_bins = 64, ratio_bins = 48, worst_kept = 8;

  std::uint64_t n = 0, n_bad = 0;
  std::uint64_t n_nan_expected = 0, n_nan_got = 0, n_inf_expected = 0, n_inf_got = 0, n_zero_expected = 0;
  std::uint64_t n_nan_differ = 0, n_inf_differ = 0;  ///< bad elements with a NaN on one side; else, an infinity
  std::uint64_t n_without_limit = 0;                 ///< finite on both sides, with a limit that is NaN or infinite
  std::uint64_t n_apart = 0;                         ///< not judged, and in no other number but `n`
  std::uint64_t n_exact = 0;                         ///< elements that are what is expected in every digit, and not 0
  bool constant = true;                              ///< every element expected is the same

  Extreme max_abs, max_rel, max_ulp;  ///< relative errors where the truth is not 0; ulps of the dtype at the truth
  double ulp_p50 = not_computed, ulp_p99 = not_computed, ulp_p999 = not_computed, ratio_p99 = not_computed;
  double mean_signed = not_computed;  ///< the mean of got - expected
  double rms = not_computed, nmse = not_computed, rel_l2 = not_computed, cosine = not_computed;
  double expected_absmax = not_computed, expected_rms = not_computed;
  double expected_norm1 = not_computed, expected_norm2 = not_computed;  ///< sum of |y|; root of the sum of squares
  double ratio_finite = not_computed;  ///< the largest ratio of elements that are finite on both sides

  double ratio_certain = not_computed;  ///< the largest error, over what nothing but a defect exceeds
  /// The largest (error - d) / σ of elements whose limit is λσ + d, which no λ changes (verdict.md V53). Infinite where
  /// an element is beyond a limit without chance; NaN where no limit is known to be of that kind.
  double sigma_max = not_computed;

  WorstLimit limit = {};     ///< that the first of these was held to
  std::vector<Worst> worst;  ///< by ratio, then by error; at most worst_kept, the first is the worst
  std::array<std::uint64_t, ulp_bins> hist_ulp = {};
  std::array<std::uint64_t, ratio_bins> hist_ratio = {};
  RatioMap map = {};  ///< where one was asked for

  bool agrees() const { return n_bad == 0; }
  double ratio() const { return worst.empty() ? not_computed : worst.front().ratio; }
};

/// The lower edge of each bin of the histograms: signed ulps, and ratios.
std::array<double, Comparison::ulp_bins> ulp_edges();
std::array<double, Comparison::ratio_bins> ratio_edges();

/// The one comparison of the repository. `expected` has the shape of `got`, and its
/// dtype or, for reals f64, for complex numbers c128: the truth, unrounded.
///
///   NaN must meet NaN, infinity the infinity of its sign, a finite truth that
///   overflows in got's dtype the infinity it overflows to
///   bool and integers are equal or not; everything else is judged by `allowed`
///
/// A map of the ratios is made where the matrices are named that the elements lie in.
///
/// Sums run in a fixed order: equal inputs give equal bits. Throws Error when
/// the types do not go together.
Comparison compare(const ir::TensorView& expected, const ir::TensorView& got, const Allowed& allowed,
                   const std::optional<MapExtents>& map = {});

/// "3 of 2048 elements differ; the worst, 41.2 times the tolerance, is element
/// 1023: expected 0.49999, got 0.5" or what agrees.
std::string summary(const Comparison& comparison);

}  // namespace plumb::parity::compare
