// Σ (w − w_zero)(x − x_zero) over channels of the group and the taps in the image, modulo 2^32.
#include "ir/ops/conv_integer.hpp"

#include "parity/element/codes.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::ConvInteger& op, const Call& call) {
  CodeOperands of;
  if (op.has_x_zero) of.a_zero = 2;
  if (op.has_w_zero) of.b_zero = op.has_x_zero ? 3 : 2;
  return wrap(call.dtype_out(), convolution_of_codes(call, of, {op.strides, op.dilations, op.pads, op.group}));
}

}  // namespace plumb::parity::element
