// The sum over the half spectrum, each bin but the first and, n even, the last standing for its mirror image as well.
#include "ir/ops/irfft.hpp"

#include "parity/element/fourier.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::Irfft& op, const Call& call) {
  const std::size_t axis = axis_of(op.axis, call.in(0).size());
  const std::int64_t n = call.out()[axis], j = call.at(axis);
  Position at = call.at();
  Sum sum;
  for (at[axis] = 0; at[axis] <= n / 2; ++at[axis]) {
    const bool is_real = 2 * at[axis] % n == 0;
    const Number given = call.number(0, at), root = turn(at[axis] * j, n, 1);
    const Number x = finite(is_real ? Number(given.re) : given);
    if (is_real) {
      sum.add(x.re, root.re);
    } else {
      sum.add(Real(2) * x.re, root.re);
      sum.add(Real(2) * x.im, -root.im);
    }
  }
  return sum.total() * factor_of(op.norm, true, n);
}

}  // namespace plumb::parity::element
