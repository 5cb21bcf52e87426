// The terms of an element of a transposed convolution. Written by hand: where all elements of one are settled, the
// element program takes twelve times as long.
#include "ir/ops/conv_transpose.hpp"

#include "parity/element/terms/terms.hpp"

namespace plumb::parity::element::terms {

/// The products that fall on the position: channels of the group, then elements of x, row-major; the bias behind them.
std::optional<Walker> walker(const ir::ops::ConvTranspose& op, std::span<const Operand> operands, const ir::Shape& y) {
  const Operand x = operands[0], w = operands[1], bias = op.has_bias ? operands[2] : Operand{};
  const std::size_t axes = x.shape.size() - 2;
  const std::vector<std::int64_t> image(x.shape.begin() + 2, x.shape.end());
  for (const std::int64_t extent : image)
    if (extent == 0) return std::nullopt;
  return [=](std::int64_t index, ElementSum& sum) {
    const std::vector<std::int64_t> at = position_of(index, y);
    const std::int64_t per_group = w.shape[1], group = at[1] / per_group, channels = x.shape[1] / op.group;
    std::vector<std::int64_t> in_x(x.shape.size()), in_w(w.shape.size());
    in_x[0] = at[0];
    in_w[1] = at[1] % per_group;
    for (std::int64_t c = group * channels; c < (group + 1) * channels; ++c) {
      in_x[1] = c;
      in_w[0] = c;
      std::vector<std::int64_t> place(axes, 0);
      do {
        bool falls_here = true;
        for (std::size_t i = 0; i < axes; ++i) {
          const std::int64_t stride = op.strides.empty() ? 1 : op.strides[i];
          const std::int64_t dilation = op.dilations.empty() ? 1 : op.dilations[i];
          const std::int64_t distance = at[2 + i] + (op.pads.empty() ? 0 : op.pads[i]) - place[i] * stride;
          falls_here &= distance >= 0 && distance % dilation == 0 && distance / dilation < w.shape[2 + i];
          in_x[2 + i] = place[i];
          in_w[2 + i] = distance / dilation;
        }
        if (falls_here)
          sum.add(x.values[static_cast<std::size_t>(index_of(in_x, x.shape))],
                  w.values[static_cast<std::size_t>(index_of(in_w, w.shape))]);
      } while (step(place, image));
    }
    if (!bias.values.empty()) sum.added.push_back({bias.values[static_cast<std::size_t>(at[1])]});
  };
}

}  // namespace plumb::parity::element::terms
