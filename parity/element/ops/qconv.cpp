// saturate(RNE(acc·(x_scale·w_scale/y_scale)) + y_zero), acc = Σ (w − w_zero)(x − x_zero) + bias modulo 2^32.
#include "ir/ops/qconv.hpp"

#include "parity/element/codes.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::Qconv& op, const Call& call) {
  std::uint64_t sum = convolution_of_codes(call, {.a = 0, .b = 3, .a_zero = 2, .b_zero = 5},
                                           {op.strides, op.dilations, op.pads, op.group});
  if (op.has_bias) sum += static_cast<std::uint64_t>(call.whole(8, {call.at(1)}));
  return requantized(call, wrap(ir::DType::i32, sum), call.number(1, 0).re, of_filter(call, 4).re, call.number(6, 0).re,
                     call.number(7, 0));
}

}  // namespace plumb::parity::element
