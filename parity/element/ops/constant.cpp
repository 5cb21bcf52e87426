// The bytes of the attribute.
#include "ir/ops/constant.hpp"

#include "parity/element/stored.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::Constant& op, const Call& call) {
  const ir::TensorView stored({op.dtype, ir::Shape(op.shape)}, std::as_bytes(std::span(op.data)));
  return number_of(stored, index_of(call.at(), call.out()));
}

}  // namespace plumb::parity::element
