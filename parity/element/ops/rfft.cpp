// The sum of x[j] e^(-2 pi i jk / n) over a real line.
#include "ir/ops/rfft.hpp"

#include "parity/element/fourier.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::Rfft& op, const Call& call) {
  const std::size_t axis = axis_of(op.axis, call.in(0).size());
  const std::int64_t n = call.in(0)[axis], k = call.at(axis);
  Position at = call.at();
  Sum re, im;
  for (at[axis] = 0; at[axis] < n; ++at[axis]) {
    const Number root = turn(at[axis] * k, n, -1);
    re.add(finite(call.number(0, at)).re, root.re);
    if (2 * k % n != 0) im.add(finite(call.number(0, at)).re, root.im);
  }
  const Real factor = factor_of(op.norm, false, n);
  return {re.total() * factor, 2 * k % n == 0 ? Real(0) : im.total() * factor};
}

}  // namespace plumb::parity::element
