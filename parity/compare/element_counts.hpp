#pragma once

#include "ir/tensor.hpp"

namespace plumb::parity::compare {

/// Which share of a tensor's elements is 0, of either sign; 0 of no elements.
double share_of_zeros(const ir::TensorView& x);

/// Whether all elements have the same bits.
bool is_constant(const ir::TensorView& x);

}  // namespace plumb::parity::compare
