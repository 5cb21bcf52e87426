// e^(x - m) over the sum of the line's, m its maximum.
// Optimised: it loops over elements or terms.
#include "ir/ops/softmax.hpp"

#include "parity/element/lines.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::Softmax& op, const Call& call) {
  const std::size_t axes[] = {axis_of(op.axis, call.out().size())};
  const std::vector<Real> line = reals_of(call, call.at(), axes);
  const Real top = largest_of(line);
  Sum sum;
  for (const Real x : line) sum.add(exp(x - top));
  return exp(call.real(0, call.at()) - top) / sum.total();
}

}  // namespace plumb::parity::element
