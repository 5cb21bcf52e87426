#pragma once

#include "ir/tensor.hpp"

namespace plumb::ir {

/// Puts values of the same tensor in the place of others, so that hardly any function gives the same for both: those of
/// its second half, each twice, from the last on, and floats with the other sign. A reversal alone would leave a
/// maximum or a histogram what it is. Indices stay in range.
void make_other(Tensor& x);

}  // namespace plumb::ir
