// bias[m] + Σ x[n, c, d]·w[c, m mod (M / g), t] over all d and t with d·stride - pad + t·dilation = o.
#include "ir/ops/conv_transpose.hpp"

#include "parity/element/call.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::ConvTranspose& op, const Call& call) {
  const ir::Shape &x = call.in(0), &w = call.in(1);
  const std::int64_t m = call.at(1), group = m / w[1], channels = x[1] / op.group;
  std::vector<std::int64_t> box = {channels};
  box.insert(box.end(), w.begin() + 2, w.end());
  Sum sum;
  for_each(box, [&](const Position& tap) {
    const std::int64_t c = group * channels + tap[0];
    Position in_x = {call.at(0), c}, in_w = {c, m % w[1]};
    for (std::size_t i = 0; i + 2 < x.size(); ++i) {
      const std::int64_t stride = entry(op.strides, i, 1);
      const std::int64_t scaled = call.at(2 + i) + entry(op.pads, i, 0) - tap[1 + i] * entry(op.dilations, i, 1);
      if (scaled < 0 || scaled % stride != 0 || scaled / stride >= x[2 + i]) return;
      in_x.push_back(scaled / stride);
      in_w.push_back(tap[1 + i]);
    }
    sum.add(call.real(0, in_x), call.real(1, in_w));
  });
  if (op.has_bias) sum.add(call.real(2, {m}));
  return sum.total();
}

}  // namespace plumb::parity::element
