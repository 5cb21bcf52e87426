#pragma once

#include "parity/relations/symmetry.hpp"

/// What declarations of axes have in common.
namespace plumb::parity::relations {

using Axis = std::optional<std::size_t>;

/// The axis of a broadcast operand that goes with axis `out` of a result of `rank`; none where x is stretched.
Axis broadcast_axis(const ir::Shape& x, std::size_t out, std::size_t rank);

/// Every axis of a function of broadcast elements.
std::vector<AxisSymmetry> elementwise(ir::Types in, const ir::Shape& out);

/// An axis of the first operand and of the result; `others` are those of the other operands, none for those that are
/// not named.
AxisSymmetry along(ir::Types in, std::size_t axis, std::vector<Axis> others = {});

/// Positions of these axes, by operand, are summed over.
AxisSymmetry summed(std::vector<Axis> in);

/// The symmetries of an op on lines along one axis of its only operand: each other axis, and the axis itself if the
/// order within a line does not matter.
std::vector<AxisSymmetry> lines(ir::Types in, std::int64_t axis, bool any_order);

/// The symmetries of a norm over the axes of in[0] from `axis` on, with operands that broadcast to it.
std::vector<AxisSymmetry> norm_of_lines(ir::Types in, std::int64_t axis);

}  // namespace plumb::parity::relations
