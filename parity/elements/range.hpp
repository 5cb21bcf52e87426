#pragma once

#include "parity/bounds/bounded.hpp"

namespace plumb::parity::elements {

/// Sets elements of output `k` apart of which an intermediate result leaves the range of the type, and how many they
/// are (verdict.md V34). The candidate is further off than any order of rounding explains, or infinite, NaN or 0 where
/// the truth is not; and so is the op as the reference runs it in the candidate's own dtypes, on the same operands.
/// `inputs` are the segment's, of these dtypes.
std::uint64_t set_out_of_range_apart(ir::Executor& reference, const core::Segment& segment,
                                     std::span<const ir::TensorView> inputs, const bounds::Manner& manner,
                                     std::size_t k, bounds::Bounded& bounded, const ir::TensorView& got);

}  // namespace plumb::parity::elements
