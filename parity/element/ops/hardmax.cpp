// 1 at the first maximum in the total order, 0 elsewhere.
#include "ir/ops/hardmax.hpp"

#include "parity/element/lines.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::Hardmax& op, const Call& call) {
  const std::size_t axis = axis_of(op.axis, call.out().size());
  const std::size_t axes[] = {axis};
  const std::vector<Real> line = reals_of(call, call.at(), axes);
  std::size_t first = 0;
  for (std::size_t k = 1; k < line.size(); ++k)
    if (comes_before(line[first], line[k])) first = k;
  return {Real(static_cast<std::int64_t>(first) == call.at(axis) ? 1 : 0)};
}

}  // namespace plumb::parity::element
