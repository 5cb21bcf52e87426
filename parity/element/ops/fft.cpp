// The sum of x[j] e^(-+2 pi i jk / n) over a line, n terms for every element.
#include "ir/ops/fft.hpp"

#include "parity/element/fourier.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::Fft& op, const Call& call) {
  const std::size_t axis = axis_of(op.axis, call.in(0).size());
  const std::int64_t n = call.in(0)[axis], k = call.at(axis);
  if (n == 1) return call.number(0, call.at());
  Position at = call.at();
  ComplexSum sum;
  for (at[axis] = 0; at[axis] < n; ++at[axis])
    sum.add(finite(call.number(0, at)) * turn(at[axis] * k, n, op.inverse ? 1 : -1));
  return sum.total() * Number(factor_of(op.norm, op.inverse, n));
}

}  // namespace plumb::parity::element
