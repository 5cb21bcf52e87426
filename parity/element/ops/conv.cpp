// bias[m] + Σ over channels of the group and taps, x outside of the image being 0: a tap there is multiplied by it.
// Optimised: it loops over elements or terms.
#include "ir/ops/conv.hpp"

#include "parity/element/call.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::Conv& op, const Call& call) {
  const ir::Shape &x = call.in(0), &w = call.in(1);
  const std::int64_t m = call.at(1), group = m * op.group / w[0];
  const std::vector<std::int64_t> box(w.begin() + 1, w.end());
  Sum sum;
  for_each(box, [&](const Position& tap) {
    Position in_x = {call.at(0), group * w[1] + tap[0]}, in_w = {m};
    in_w.insert(in_w.end(), tap.begin(), tap.end());
    bool is_inside = true;
    for (std::size_t i = 0; i + 2 < x.size(); ++i) {
      const std::int64_t place =
          call.at(2 + i) * entry(op.strides, i, 1) - entry(op.pads, i, 0) + tap[1 + i] * entry(op.dilations, i, 1);
      is_inside &= place >= 0 && place < x[2 + i];
      in_x.push_back(place);
    }
    const Real weight = call.real(1, in_w);
    if (is_inside)
      sum.add(weight, call.real(0, in_x));
    else if (!std::isfinite(weight.value))
      sum.add(weight, Real(0));
    else
      sum.skip();
  });
  if (op.has_bias) sum.add_behind(call.real(2, {m}));
  return sum.total();
}

}  // namespace plumb::parity::element
