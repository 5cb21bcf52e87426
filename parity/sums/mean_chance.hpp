// Chance error of a sum, on the mean over all orders of its terms, from the terms alone.
#pragma once

#include <vector>

#include "parity/sums/element_limit.hpp"

namespace plumb::parity::sums {

/// λσ of the first limit of an element (verdict.md V14 and V25), by its definition and from its own terms: a second
/// account of what error models write as formulas over whole tensors (verdict.md V58). A formula may take what is added
/// behind the sum for one term more, round products that are exact, and count up to `more` roundings behind the sum as
/// terms of 0, or, for all elements alike, as many as `most` terms, where padding leaves some out: all that it may say
/// is in the list. Empty for sums that are cut off, in which there is no chance, and for those with factors that are
/// sums or off themselves.
std::vector<double> mean_chances(const element::terms::ElementSum& sum, const Arithmetic& arithmetic, double lambda,
                                 std::int64_t most, std::int64_t more);

}  // namespace plumb::parity::sums
