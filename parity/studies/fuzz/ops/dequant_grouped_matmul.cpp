// Formats with what they need; x as codes in one of four.
#include "ir/ops/dequant_grouped_matmul.hpp"

#include "parity/studies/fuzz/packing.hpp"

namespace plumb::parity::studies::fuzz {

void amend(ir::ops::DequantGroupedMatmul& op, Chooser& choose) { draw_packed_product(op, choose); }

}  // namespace plumb::parity::studies::fuzz
