#pragma once

#include <span>
#include <vector>

#include "parity/compare/compare.hpp"

namespace plumb::parity::compare {

/// How far each of `others` is from one truth, for the numbers alone: nothing is allowed or forbidden. For each
/// there are counts, extremes and sums; no quantiles, histograms, worst elements or ratios. An element is bad where
/// there is nothing to measure: a NaN that meets a number, or an infinity where neither the truth nor its rounding
/// to `dtype` is infinite. Ulps are of `dtype`. Integers that differ are bad, too.
///
/// The types are those that compare() takes; the others may be in the truth's dtype, too. All are
/// read once, and equal inputs give equal bits.
std::vector<Comparison> measure(const ir::TensorView& truth, std::span<const ir::TensorView> others, ir::DType dtype);

Comparison measure(const ir::TensorView& truth, const ir::TensorView& other);

}  // namespace plumb::parity::compare
