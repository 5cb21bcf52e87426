#pragma once

// Draws the attributes that ops with packed operands have in common.

#include "ir/kernels/packed/format.hpp"
#include "parity/studies/fuzz/attributes.hpp"

namespace plumb::parity::studies::fuzz {

/// A packed format, with what it needs beside its codes.
template <class Op>
void draw_packing(Op& op, Chooser& choose) {
  using ir::kernels::packed::Scales;
  const Scales scales = ir::kernels::packed::layout(op.format).scales;
  op.has_scales = scales != Scales::in_block;
  const bool has_blocks = scales == Scales::affine || scales == Scales::scaled;
  op.block_size = has_blocks ? choose.number({0, 16, 32, 64, 128}) : 0;
  op.has_zero_points = scales == Scales::affine && choose.once_in(2);
}

/// Draws a packed format of weights and, for one product in four, codes for x.
template <class Op>
void draw_packed_product(Op& op, Chooser& choose) {
  draw_packing(op, choose);
  op.has_x_scales = choose.once_in(4);
  if (!choose.once_in(4)) op.dtype = std::nullopt;
}

}  // namespace plumb::parity::studies::fuzz
