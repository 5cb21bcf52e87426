// saturate(RNE(acc·(a_scale·b_scale/y_scale)) + y_zero), acc = Σ_k (a − a_zero)(b − b_zero) + bias modulo 2^32.
#include "ir/ops/qmatmul.hpp"

#include "parity/element/codes.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::Qmatmul& op, const Call& call) {
  std::uint64_t sum = product_of_codes(call, {.a = 0, .b = 3, .a_zero = 2, .b_zero = 5});
  if (op.has_bias) sum += static_cast<std::uint64_t>(call.whole(8, {call.at(call.at().size() - 1)}));
  return requantized(call, wrap(ir::DType::i32, sum), of_row(call, 1).re, of_column(call, 4).re, call.number(6, 0).re,
                     call.number(7, 0));
}

}  // namespace plumb::parity::element
