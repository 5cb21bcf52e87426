#pragma once

#include "ir/ops/unary.hpp"
#include "parity/element/real.hpp"

namespace plumb::parity::element {

/// A function of a real number, as ops.md 3 defines it.
Real function_of(ir::ops::UnaryFunction function, Real x);

}  // namespace plumb::parity::element
