// The terms of an element of a convolution: channels of its group, then taps inside the image, the bias behind. Written
// by hand: convolutions are settled by the million.
// Optimised: it loops over elements or terms.
#include "ir/ops/conv.hpp"

#include "parity/element/terms/terms.hpp"

namespace plumb::parity::element::terms {
namespace {

std::int64_t entry_or(const std::vector<std::int64_t>& list, std::size_t axis, std::int64_t otherwise) {
  return list.empty() ? otherwise : list[axis];
}

}  // namespace

/// Channels of the group, then taps inside the image; the bias behind them.
std::optional<Walker> walker(const ir::ops::Conv& op, std::span<const Operand> operands, const ir::Shape& y) {
  const Operand x = operands[0], w = operands[1], bias = op.has_bias ? operands[2] : Operand{};
  const std::vector<std::int64_t> kernel(w.shape.begin() + 2, w.shape.end());
  std::int64_t taps = 1, image = 1;
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    taps *= kernel[i];
    image *= x.shape[2 + i];
  }
  if (taps == 0) return std::nullopt;
  return [=](std::int64_t index, ElementSum& sum) {
    const std::vector<std::int64_t> at = position_of(index, y);
    std::vector<std::size_t> in_image, in_kernel;  // the taps that meet an element of a channel
    std::vector<std::int64_t> tap(kernel.size(), 0);
    std::size_t number = 0;
    do {
      bool is_inside = true;
      std::int64_t place = 0;
      for (std::size_t i = 0; i < kernel.size(); ++i) {
        const std::int64_t on_axis =
            at[2 + i] * entry_or(op.strides, i, 1) - entry_or(op.pads, i, 0) + tap[i] * entry_or(op.dilations, i, 1);
        is_inside &= on_axis >= 0 && on_axis < x.shape[2 + i];
        place = place * x.shape[2 + i] + on_axis;
      }
      if (is_inside) {
        in_image.push_back(static_cast<std::size_t>(place));
        in_kernel.push_back(number);
      }
      ++number;
    } while (step(tap, kernel));
    const std::int64_t filter = at[1], channels = w.shape[1], first = filter / (w.shape[0] / op.group) * channels;
    sum.terms.reserve(static_cast<std::size_t>(channels) * in_image.size());
    for (std::int64_t c = 0; c < channels; ++c) {
      const auto of_w = static_cast<std::size_t>((filter * channels + c) * taps);
      const auto of_x = static_cast<std::size_t>((at[0] * x.shape[1] + first + c) * image);
      for (std::size_t t = 0; t < in_image.size(); ++t)
        sum.add(w.values[of_w + in_kernel[t]], x.values[of_x + in_image[t]]);
    }
    if (std::ssize(in_image) < taps) {
      for (std::int64_t c = 0; c < channels; ++c)
        for (const std::size_t t : in_kernel) sum.places.push_back(static_cast<std::size_t>(c * taps) + t);
      sum.all_places = static_cast<std::size_t>(channels * taps);
    }
    if (!bias.values.empty()) sum.added.push_back({1, bias.values[static_cast<std::size_t>(filter)]});
  };
}

}  // namespace plumb::parity::element::terms
