// The sum of x[.., f, t − f·hop] over the windows f that reach sample t.
#include "ir/ops/overlap_add.hpp"

#include "parity/element/call.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::OverlapAdd& op, const Call& call) {
  const ir::Shape& x = call.in(0);
  Position in_x = call.at();
  in_x.push_back(0);
  Sum sum;
  for (std::int64_t f = 0; f < x[x.size() - 2] && f * op.hop <= call.at().back(); ++f) {
    const std::int64_t i = call.at().back() - f * op.hop;
    if (i >= x.back()) continue;
    in_x[in_x.size() - 2] = f;
    in_x.back() = i;
    sum.add(call.real(0, in_x));
  }
  return sum.total();
}

}  // namespace plumb::parity::element
