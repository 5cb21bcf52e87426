// The row of the update that goes to the element's row, if one does, else the cache.
#include "ir/ops/tensor_scatter.hpp"

#include "parity/element/call.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::TensorScatter& op, const Call& call) {
  const std::size_t axis = axis_of(op.axis, call.at().size());
  const std::int64_t rows = call.in(0)[axis], first = op.has_write_indices ? call.whole(2, {call.at(0)}) : 0;
  Position in_update = call.at();
  for (std::int64_t t = 0; t < call.in(1)[axis]; ++t) {
    std::int64_t row = first + t;
    if (op.mode == ir::ops::TensorScatterMode::circular) row = (row % rows + rows) % rows;
    if (row != call.at(axis)) continue;
    in_update[axis] = t;
    return call.number(1, in_update);
  }
  return call.number(0, call.at());
}

}  // namespace plumb::parity::element
