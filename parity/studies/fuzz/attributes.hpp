#pragma once

// Attributes of an op by chance.

#include <optional>

#include "ir/op.hpp"
#include "parity/studies/fuzz/chooser.hpp"

namespace plumb::parity::studies::fuzz {

/// The op with attributes drawn by their kinds and names and then, for ops that few of such draws suit, as its file in
/// parity/studies/fuzz/ops amends them: `void amend(ir::ops::X& op, Chooser& choose)`. Nothing where the op refuses its
/// attributes by themselves.
std::optional<ir::Op> draw_attributes(const ir::OpSchema& schema, Chooser& choose);

/// Strides, dilations and pads of so many spatial axes, each left out half the time.
template <class Op>
void draw_windows(Op& op, std::size_t axes, Chooser& choose) {
  op.strides = choose.once_in(2) ? Whole{} : choose.numbers(axes, {1, 2, 3});
  op.dilations = choose.once_in(2) ? Whole{} : choose.numbers(axes, {1, 1, 2, 3});
  op.pads = choose.once_in(2) ? Whole{} : choose.numbers(2 * axes, {0, 1, 2});
}

/// Those of a convolution, of one axis to three, with groups.
template <class Op>
void draw_convolution(Op& op, Chooser& choose) {
  const auto axes = static_cast<std::size_t>(choose.number({1, 2, 2, 2, 3}));
  op.group = choose.number({1, 1, 2, 3, 4});
  draw_windows(op, axes, choose);
  if (op.strides.empty() && op.dilations.empty() && op.pads.empty()) op.strides.assign(axes, 1);
}

}  // namespace plumb::parity::studies::fuzz
