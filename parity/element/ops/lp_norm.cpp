// x over the 1-norm or 2-norm of its line; a line of zeros gives zeros.
#include "ir/ops/lp_norm.hpp"

#include "parity/element/lines.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::LpNorm& op, const Call& call) {
  const std::size_t axes[] = {axis_of(op.axis, call.out().size())};
  const std::vector<Real> line = reals_of(call, call.at(), axes);
  const Real unit = unit_of(line);
  Sum sum(ir::SumName::powers);
  for (const Real x : line)
    if (op.p == 1)
      sum.add(abs(x / unit));
    else
      sum.add(x / unit, x / unit);
  const Real total = sum.total();
  if (total.value == 0) return {};
  return call.real(0, call.at()) / unit / (op.p == 1 ? total : sqrt(total));
}

}  // namespace plumb::parity::element
