// Builders of the loops that ops declare.
#pragma once

#include "ir/loops.hpp"

namespace plumb::ir::kernels {

/// The axis of a broadcast operand that goes with axis `out` of a result of `rank`; none where x is stretched.
Axis broadcast_axis(const Shape& x, std::size_t out, std::size_t rank);

/// Every axis of a function of broadcast elements.
std::vector<Loop> elementwise(Types in, const Shape& out);

/// An axis of the first operand and of the result; `others` are those of the other operands, none for those that are
/// not named.
Loop along(Types in, std::size_t axis, std::vector<Axis> others = {});

/// Positions of these axes, by operand, are summed in any order.
Loop summed(std::vector<Axis> in);

/// A sum over taps: positions of these axes, by operand, of which each meets others of its own.
Loop taps(std::vector<Axis> in, Axis out = {});

/// Every axis of the first operand; those that `is_reduced` are reduced in any order.
std::vector<Loop> lines(Types in, const std::vector<bool>& is_reduced, Reduction reduction);

/// Every axis of the first operand; the one called `axis` is reduced in any order.
std::vector<Loop> lines(Types in, std::int64_t axis, Reduction reduction);

/// Every axis of the first operand; along the one called `axis` places count.
std::vector<Loop> ordered_lines(Types in, std::int64_t axis, Reduction reduction);

/// The loops of a norm over the axes of the first operand from `first` on, with operands that broadcast to it.
std::vector<Loop> norm(Types in, std::size_t first);

/// The loops of a convolution of in[0] by in[1], which has the channels of the result on axis `filters`, those that are
/// summed on axis `terms`, and its taps behind them; in[2], where there is one, has the channels of the result.
Loops convolution(Types in, std::int64_t group, std::size_t filters, std::size_t terms);

/// The labels of an equation, axes of an ellipsis among them, except those that a term has twice.
std::vector<Loop> einsum(std::string_view equation, Types in);

/// Indices that count along an axis of this extent, from either end.
OperandUse index_along(std::int64_t extent);

/// Starts along all axes of a shape: whole numbers of any size, of which those beyond an end are clamped.
OperandUse start_within(const Shape& x);

/// A factor of products, in which they are linear, and the data.
inline constexpr OperandUse linear_data{.role = Role::data, .degree = Degree::linear};
inline constexpr OperandUse linear_factor{.role = Role::factor, .degree = Degree::linear};

/// Why ops round that several have alike.
inline constexpr std::string_view root_and_division = "a root and a division are rounded";
inline constexpr std::string_view partial_products = "the size of a partial product says nothing of the next";

}  // namespace plumb::ir::kernels
