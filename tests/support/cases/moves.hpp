#pragma once

#include "tests/support/cases/movement.hpp"

namespace plumb::tests {

/// The edges of pad, tile, roll, reverse, depth_to_space, space_to_depth and im2col.
std::vector<MovementCase> move_cases();

/// The result by the definition of one of these ops, one element at a time.
ir::Tensor made(const ir::Op& op, const std::vector<ir::Tensor>& operands);

}  // namespace plumb::tests
