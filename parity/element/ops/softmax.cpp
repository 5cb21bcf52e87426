// e^(x - m) over the sum of the line's, m its maximum.
// Optimised: it loops over elements or terms.
#include "ir/ops/softmax.hpp"

#include "parity/element/lines.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::Softmax& op, const Call& call) {
  const std::size_t axes[] = {axis_of(op.axis, call.out().size())};
  const std::vector<Real> line = reals_of(call, call.at(), axes);
  const Real top = largest_of(line);
  Sum sum(ir::SumName::row_sum);
  const Real own = exp(call.real(0, call.at()) - top);
  for (std::size_t k = 0; k < line.size(); ++k)
    sum.add(static_cast<std::int64_t>(k) == call.at(axes[0]) ? own : exp(line[k] - top));
  return own / sum.total();
}

}  // namespace plumb::parity::element
