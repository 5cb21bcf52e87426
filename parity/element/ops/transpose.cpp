// Axis k of y is axis permutation[k] of x.
#include "ir/ops/transpose.hpp"

#include "parity/element/call.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::Transpose& op, const Call& call) {
  Position in_x(call.at().size());
  for (std::size_t k = 0; k < in_x.size(); ++k) in_x[static_cast<std::size_t>(op.permutation[k])] = call.at(k);
  return call.number(0, in_x);
}

}  // namespace plumb::parity::element
