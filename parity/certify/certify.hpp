#pragma once

#include <optional>
#include <span>
#include <string>

#include "parity/bounds/bounded.hpp"
#include "parity/cases/certificate.hpp"
#include "parity/certify/double_double.hpp"
#include "parity/terms/terms.hpp"

namespace plumb::parity::certify {

/// Compares output `k` of a segment with its truth. Elements of which the truth is too uncertain to say on which side
/// of its limit the error is are computed again in double-double, and stay so in `bounded`: of ops whose terms can be
/// walked, where the segment is one node; in order, as long as no more than 2^26 terms are added. Complex
/// numbers are not looked through for such elements.
///
/// `inputs` are the segment's, of the candidate's dtypes; `got` is what the candidate made of them.
compare::Comparison certify(const core::Segment& segment, std::span<const ir::TensorView> inputs, std::size_t k,
                            bounds::Bounded& bounded, const ir::TensorView& got, cases::Certificate& certificate);

/// Element `index` of the first output of the op that is walked, on f64 operands.
std::optional<DoubleDouble> element_of(const terms::Walker& walker, std::size_t index);

}  // namespace plumb::parity::certify
