// y[i] = x[i mod n] on every axis.
#include "ir/ops/tile.hpp"

#include "parity/element/call.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::Tile&, const Call& call) {
  Position in_x = call.at();
  for (std::size_t axis = 0; axis < in_x.size(); ++axis) in_x[axis] %= call.in(0)[axis];
  return call.number(0, in_x);
}

}  // namespace plumb::parity::element
