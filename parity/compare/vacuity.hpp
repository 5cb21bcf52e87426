#pragma once

#include <string>

#include "parity/compare/compare.hpp"
#include "parity/core/segment.hpp"

namespace plumb::parity::compare {

/// How much of an output would look the same whatever was computed (docs/power.md): shares of its elements.
struct Vacuity {
  double zeros = 0;       ///< 0, as far as an operand is 0 to that share: zeros that an op makes are its work
  double saturated = 0;   ///< beyond the dtype's range, or at the 1 of a function that is bounded by it
  double not_finite = 0;  ///< NaN, or infinite
  double constant = 0;    ///< in rows of equal elements
  double exact = 0;       ///< sums that came out exact, in which no accumulator shows its width

  /// The share of elements that say little: the largest of these.
  double score() const;
  /// "zeros 0.41, exact 1.00", without those that are 0.
  std::string text() const;
};

/// Where data is only moved or selected, what is not finite counts, and constant rows count if there are no others.
/// `inputs` are the segment's, at the candidate's dtypes, `dtype` is the output's, `known` how it compared with its
/// truth. For complex numbers it is all 0.
Vacuity vacuity_of(const core::Segment& segment, std::span<const ir::TensorView> inputs, const ir::TensorView& truth,
                   ir::DType dtype, const Comparison& known);

}  // namespace plumb::parity::compare
