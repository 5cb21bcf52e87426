#pragma once

#include <optional>
#include <span>
#include <string>

#include "parity/bounded.hpp"
#include "parity/certify/certificate.hpp"
#include "parity/double_double.hpp"

namespace plumb::parity {

/// Compares output `k` of a segment with its truth. Elements of which the truth is too uncertain to say on which side
/// of its limit the error is are computed again in double-double, and stay so in `bounded`: of a matmul, gemm, conv and
/// of sums and means, where the segment is one node; in order, as long as no more than 2^26 terms are added. Complex
/// numbers are not looked through for such elements.
///
/// `inputs` are the segment's, of the candidate's dtypes; `got` is what the candidate made of them.
Comparison certify(const Segment& segment, std::span<const ir::TensorView> inputs, std::size_t k, Bounded& bounded,
                   const ir::TensorView& got, Certificate& certificate);

/// Element `index` of the first output of an op on f64 operands; nothing for ops that are not among those above.
std::optional<DoubleDouble> element_of(const ir::Op& op, const std::vector<ir::Tensor>& operands, std::size_t index);

}  // namespace plumb::parity
