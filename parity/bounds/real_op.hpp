#pragma once

#include "ir/op.hpp"

namespace plumb::parity::bounds {

/// The op as magnitudes are put through it in f64: a dtype that an attribute names is f64 where it is complex, as that
/// of the accumulator of a product.
ir::Op real_op(const ir::Op& op);

}  // namespace plumb::parity::bounds
