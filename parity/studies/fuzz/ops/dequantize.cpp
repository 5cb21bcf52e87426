// Formats with what they need.
#include "ir/ops/dequantize.hpp"

#include "parity/studies/fuzz/packing.hpp"

namespace plumb::parity::studies::fuzz {

void amend(ir::ops::Dequantize& op, Chooser& choose) { draw_packing(op, choose); }

}  // namespace plumb::parity::studies::fuzz
