// bias[m] + Σ x[n, c, d]·w[c, m mod (M / g), t] over all d and t with d·stride - pad + t·dilation = o, d ascending.
// Optimised: it loops over elements or terms.
#include "ir/ops/conv_transpose.hpp"

#include "parity/element/call.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::ConvTranspose& op, const Call& call) {
  const ir::Shape &x = call.in(0), &w = call.in(1);
  const std::int64_t m = call.at(1), group = m / w[1], channels = x[1] / op.group;
  std::vector<std::int64_t> box = {channels};
  box.insert(box.end(), w.begin() + 2, w.end());
  Position in_x(x.size(), call.at(0)), in_w(w.size(), m % w[1]);
  Sum sum;
  for_each(box, [&](const Position& from_last) {
    in_x[1] = in_w[0] = group * channels + from_last[0];
    for (std::size_t i = 0; i + 2 < x.size(); ++i) {
      const std::int64_t stride = entry(op.strides, i, 1), tap = w[2 + i] - 1 - from_last[1 + i];
      const std::int64_t scaled = call.at(2 + i) + entry(op.pads, i, 0) - tap * entry(op.dilations, i, 1);
      if (scaled < 0 || scaled % stride != 0 || scaled / stride >= x[2 + i]) return;
      in_x[2 + i] = scaled / stride;
      in_w[2 + i] = tap;
    }
    sum.add(call.real(0, in_x), call.real(1, in_w));
  });
  if (op.has_bias) sum.add_behind(call.real(2, {m}));
  return sum.total();
}

}  // namespace plumb::parity::element
