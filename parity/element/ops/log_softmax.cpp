// (x - m) - ln Σ e^(x - m).
#include "ir/ops/log_softmax.hpp"

#include "parity/element/lines.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::LogSoftmax& op, const Call& call) {
  const std::size_t axes[] = {axis_of(op.axis, call.out().size())};
  const std::vector<Real> line = reals_of(call, call.at(), axes);
  const Real top = largest_of(line);
  Sum sum(ir::SumName::row_sum);
  for (const Real x : line) sum.add(exp(x - top));
  return (call.real(0, call.at()) - top) - log(sum.total());
}

}  // namespace plumb::parity::element
