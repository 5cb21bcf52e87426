// Formats with what they need; x as codes in one of four.
#include "ir/ops/dequant_matmul.hpp"

#include "parity/studies/fuzz/packing.hpp"

namespace plumb::parity::studies::fuzz {

void amend(ir::ops::DequantMatmul& op, Chooser& choose) {
  draw_packing(op, choose);
  op.has_x_scales = choose.once_in(4);
  if (!choose.once_in(4)) op.dtype = std::nullopt;
}

}  // namespace plumb::parity::studies::fuzz
