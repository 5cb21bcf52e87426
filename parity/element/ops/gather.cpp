// y[a, i, b] = x[a, indices[i], b].
#include "ir/ops/gather.hpp"

#include "parity/element/call.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::Gather& op, const Call& call) {
  const std::size_t axis = axis_of(op.axis, call.in(0).size()), rank = call.in(1).size();
  const auto begin = call.at().begin() + static_cast<std::ptrdiff_t>(axis);
  const Position i(begin, begin + static_cast<std::ptrdiff_t>(rank));
  Position in_x(call.at().begin(), begin);
  in_x.push_back(call.index(1, i, call.in(0)[axis]));
  in_x.insert(in_x.end(), begin + static_cast<std::ptrdiff_t>(rank), call.at().end());
  return call.number(0, in_x);
}

}  // namespace plumb::parity::element
