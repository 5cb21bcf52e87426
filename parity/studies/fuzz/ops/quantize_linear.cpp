// Codes of few bits in bytes, floats without zero points.
#include "ir/ops/quantize_linear.hpp"

#include "parity/studies/fuzz/attributes.hpp"

namespace plumb::parity::studies::fuzz {

void amend(ir::ops::QuantizeLinear& op, Chooser& choose) {
  op.dtype = choose.one_of({ir::DType::u8, ir::DType::i8, ir::DType::u16, ir::DType::i16});
  op.bits = 0;
  op.saturate = true;
  const bool is_byte = op.dtype == ir::DType::u8 || op.dtype == ir::DType::i8;
  if (is_byte && choose.once_in(4)) op.bits = choose.number({2, 4});
  if (op.code == ir::kernels::CodeFormat::integer) return;
  op.dtype = ir::DType::u8;
  op.bits = 0;
  op.has_zero_point = false;
  op.saturate = op.code == ir::kernels::CodeFormat::e2m1 || choose.once_in(2);
}

}  // namespace plumb::parity::studies::fuzz
