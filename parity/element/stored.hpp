#pragma once

#include "ir/tensor.hpp"
#include "parity/element/call.hpp"

namespace plumb::parity::element {

/// The number that a tensor of any dtype holds, read from its bytes.
Number number_of(const ir::TensorView& tensor, std::int64_t index);

/// x rounded to a dtype, as the op cast does (ops.md 2). Throws NoAnswer where the uncertainty of x decides it.
Number stored_as(ir::DType from, ir::DType to, Number x);

}  // namespace plumb::parity::element
