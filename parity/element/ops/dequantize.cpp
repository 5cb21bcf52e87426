// One weight, decoded from the bytes of its own block.
#include "ir/ops/dequantize.hpp"

#include "parity/element/packed.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::Dequantize& op, const Call& call) {
  return packed_weight(op.format, op.block_size, op.has_zero_points, call, 0, call.at());
}

}  // namespace plumb::parity::element
