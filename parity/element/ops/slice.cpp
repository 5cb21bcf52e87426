// y[j] = x[start + j·step] along the axes that are cut.
#include "ir/ops/slice.hpp"

#include "parity/element/call.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::Slice& op, const Call& call) {
  Position in_x = call.at();
  for (std::size_t k = 0; k < op.axes.size(); ++k) {
    const std::size_t axis = axis_of(op.axes[k], in_x.size());
    in_x[axis] = op.starts[k] + call.at(axis) * entry(op.steps, k, 1);
  }
  return call.number(0, in_x);
}

}  // namespace plumb::parity::element
