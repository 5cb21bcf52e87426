#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "parity/sums/element_limit.hpp"

/// Parts of the limit of one element that single sums and running sums have in common.
namespace plumb::parity::sums {

/// The last places of terms that are taken one after the other.
class LastPlaces {
 public:
  void take(double term) {
    if (term == 0) return;
    if (!std::isfinite(term)) {
      are_finite_ = false;
      return;
    }
    int exponent = 0;
    const auto significand = static_cast<std::int64_t>(std::ldexp(std::frexp(std::abs(term), &exponent), 53));
    least_ = std::min(least_, exponent - 53 + std::countr_zero(static_cast<std::uint64_t>(significand)));
  }
  /// Whether every partial sum of the terms is a number of so many bits, in any order: they are multiples of one power
  /// of two, which is not below the spacing of subnormals, and few enough of it (verdict.md V24). `sizes` is Σ of their
  /// magnitudes.
  bool leave_sums_exact(double sizes, int bits, double spacing) const {
    if (least_ == std::numeric_limits<int>::max()) return are_finite_;
    return are_finite_ && std::ldexp(1.0, least_) >= spacing && sizes < std::ldexp(1.0, least_ + bits);
  }

 private:
  int least_ = std::numeric_limits<int>::max();
  bool are_finite_ = true;
};

/// How terms change by being added one after the other: each loses what is below the last place of the sum that it
/// makes, whatever else happens. `most` is the largest on the way.
struct Creep {
  explicit Creep(const Arithmetic& arithmetic) : arithmetic_(&arithmetic) {
    // A kernel that says so begins anew with every chunk.
    if (arithmetic.sum && !arithmetic.sum->levels.empty() && arithmetic.sum->levels[0].join == ir::SumJoin::chain)
      chunk_ = arithmetic.sum->levels[0].count;
  }

  double last = 0, most = 0;
  double change = 0;  ///< with its sign

  void take(double term) {
    if (chunk_ > 0 && taken_ % chunk_ == 0) so_far_ = 0;
    ++taken_;
    so_far_ += term;
    const double place = last_place(so_far_), steps = term / place, rounded = std::nearbyint(steps);
    change += (rounded - steps) * place;
    if (std::abs(steps - std::trunc(steps)) == 0.5) ties_ += place / 2;
    last = std::abs(change) + ties_;
    most = std::max(most, last);
  }

 private:
  /// The last place of a number of the accumulator's type.
  double last_place(double x) const {
    if (x == 0) return arithmetic_->subnormal;
    return std::max(std::ldexp(2 * arithmetic_->unit, std::ilogb(x)), arithmetic_->subnormal);
  }

  const Arithmetic* arithmetic_;
  std::int64_t chunk_ = 0, taken_ = 0;
  double so_far_ = 0, ties_ = 0;
};

/// The numbers that the limit of a sum depends on that carries the errors of its additions.
struct CompensatedSum {
  double total = 0, sizes = 0;  ///< the sum, and that of the magnitudes of its terms
  double squares = 0;           ///< that of the squares of its terms, where products round
  double multiplicity = 1;      ///< see multiplicity()
  double depth = 0;             ///< the most additions between a term and the root of its tree
  double sigma = 0, creep = 0;  ///< √σ² of the additions; the most that its terms creep
};
ElementLimit limit_of_compensated(const CompensatedSum& sum, const Arithmetic& arithmetic, double lambda);

/// Adds the errors of factors that are inexact, or are sums, to those of the `additions` (verdict.md V13).
ElementLimit with_factors(const ElementLimit& additions, const element::terms::ElementSum& sum,
                          const Arithmetic& arithmetic, double lambda);

}  // namespace plumb::parity::sums
