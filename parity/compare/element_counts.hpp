#pragma once

#include "ir/tensor.hpp"

namespace plumb::parity::compare {

/// Which share of a tensor's elements is 0, of either sign; 0 of no elements.
double share_of_zeros(const ir::TensorView& x);

/// Whether all elements have the same bits.
bool is_constant(const ir::TensorView& x);

/// How many elements of two tensors of one type have other bits.
std::uint64_t count_other_bits(const ir::TensorView& a, const ir::TensorView& b);

}  // namespace plumb::parity::compare
