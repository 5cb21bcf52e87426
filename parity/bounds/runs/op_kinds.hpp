#pragma once

#include <initializer_list>

#include "ir/op.hpp"
#include "ir/ops/binary.hpp"
#include "ir/ops/unary.hpp"

namespace plumb::parity::bounds::runs {

/// Whether an output element is one element of one operand, or none.
bool only_moves(const ir::Op& op);

/// Whether an output element is the element of an operand that another operand's indices say.
bool is_gather(const ir::Op& op);

/// Whether an output element is a function of those at its place.
bool is_elementwise(const ir::Op& op);

/// Whether it is one of these functions.
bool is_unary(const ir::Op& op, std::initializer_list<ir::ops::UnaryFunction> functions);
bool is_binary(const ir::Op& op, std::initializer_list<ir::ops::BinaryFunction> functions);

}  // namespace plumb::parity::bounds::runs
