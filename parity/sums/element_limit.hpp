#pragma once

#include <optional>

#include "ir/sums.hpp"
#include "parity/element/terms/terms.hpp"
#include "parity/sums/tree.hpp"

namespace plumb::parity::sums {

/// Whether any level of a sum carries the errors of its additions as a second number.
bool is_compensated(const ir::Sum& sum);

/// The arithmetic of a node's sums, as far as it is known.
struct Arithmetic {
  double unit = 0x1p-24;            ///< unit roundoff of the accumulator
  double subnormal = 0x1p-149;      ///< spacing of its subnormal numbers
  bool exact_products = false;      ///< a product of two operands is a number of the accumulator's type
  std::optional<ir::Sum> sum = {};  ///< the tree as it was published; nothing: unknown
  /// Largest loss for each term of a unit that truncates sums, in units of the roundoff at the larger of the sum so far
  /// and the terms; 0 for units that round to nearest.
  double cut = 0;
  double least_a = 0, least_b = 0;  ///< smallest magnitudes that the alignment exponent assumes; zeros are exempt
  double flushed = 0;               ///< numbers below this may be 0 instead (verdict.md V35); 0: subnormals are kept

  bool is_compensated() const;
  /// How a chain, or the published tree, rounds.
  Additions additions() const;
  /// The published tree, or a chain.
  Tree tree(std::int64_t terms) const;
};

/// How far one element may be from the truth by the additions that made it, before it is stored.
struct ElementLimit {
  double probable = 0;  ///< limit that chance exceeds as rarely as λ says
  double certain = 0;   ///< limit that no order of rounding exceeds
  double fixed = 0;     ///< the part of `probable` that is there whatever λ is
};

/// The limits of Σ terms, scale and divisor applied, along the tree; of what is added behind the sum one rounding each
/// (verdict.md V13, V16 to V18 and V24 to V26). `lambda`: standard deviations that are allowed for.
ElementLimit limit_of(const element::terms::ElementSum& sum, const Arithmetic& arithmetic, double lambda);

/// Error of the operations behind a sum that came out as `total`, one rounding each: its product with a scale, its
/// quotient, and the terms added to it.
double limit_behind(const element::terms::ElementSum& sum, double total, const Arithmetic& arithmetic);

/// The mean number of equal terms among those that are not 0; a term and its negative are different. 1 where all
/// differ.
double multiplicity(const element::terms::ElementSum& sum);

/// √σ² of one element: of its additions along the tree, and of one rounding for each step behind them (verdict.md V13).
double deviation_of(const element::terms::ElementSum& sum, const Arithmetic& arithmetic);
/// Where the terms are multiplied out already.
double deviation_of(const element::terms::ElementSum& sum, std::span<const double> terms, const Arithmetic& arithmetic);

/// By neighbour, its deviation_of(), its √Σp², and its smallest factor or product in size that is not 0. Nothing where
/// it is not known which terms meet.
struct NeighbourDeviations {
  std::array<double, element::terms::Neighbours::count> deviations, squares, smallest;
};
std::optional<NeighbourDeviations> deviations_of(const element::terms::Neighbours& neighbours,
                                                 const Arithmetic& arithmetic);

/// Error of adding the terms one after the other, with its sign (Σr_k of verdict.md V23).
double drift_of(const element::terms::ElementSum& sum, const Arithmetic& arithmetic);

/// As far as an honest kernel may be off whose terms come in few values, or are lost on being added: λσ and the creep
/// of the running sum (verdict.md V23).
double wide_limit(const element::terms::ElementSum& sum, const Arithmetic& arithmetic, double lambda);

/// How far the running sum creeps, in standard deviations of its roundings: near 1 and below for terms in no particular
/// order, above it where the terms come in few values (verdict.md V23). 0 where nothing rounds.
double creep_in_deviations(const element::terms::ElementSum& sum, const Arithmetic& arithmetic);

/// Terms that are taken one after the other, as far as their sum may leave a range.
class RangeSoFar {
 public:
  void take(double term);
  /// Whether their sum has an order in which a partial sum is beyond the range of a type: the terms of one sign first,
  /// every addition rounded away from 0.
  bool overflows_in_some_order(ir::DType computed) const;
  /// Whether their sizes add up to more than a type holds, which terms of both signs may although no order overflows.
  bool has_sizes_beyond(ir::DType computed) const;
  /// Whether the terms of either sign do so by themselves: infinities of both signs may meet in some order.
  bool overflows_to_both_sides(ir::DType computed) const;

 private:
  bool is_beyond(double sum, ir::DType computed) const;

  double above_ = 0, below_ = 0;
  std::int64_t count_ = 0;
};

RangeSoFar range_of(const element::terms::ElementSum& sum);

bool has_finite_terms(const element::terms::ElementSum& sum);

/// Whether a sum whose result is in the range of a type has an order in which a partial sum is not: the terms of one
/// sign first, every addition rounded away from 0.
bool overflows_in_some_order(const element::terms::ElementSum& sum, ir::DType computed);

}  // namespace plumb::parity::sums
