// Convolutions as a profile says that a device adds them: the product of filters and windows, group by group.
// Optimised: it loops over elements or terms.
#include "parity/profile/convolution.hpp"

#include <algorithm>

#include "ir/kernels/sum_orders.hpp"
#include "parity/profile/many_products.hpp"

namespace plumb::parity::profile {
namespace {

using ir::ops::Conv;

/// Where a kernel has what each tap of each channel gives, channel after channel, among the terms of a sum.
struct Places {
  std::int64_t channels, taps, terms;
  std::vector<std::int64_t> at;  ///< by channel c and tap t: c * taps + t

  /// `block`: channels of which each tap is taken together; 0: one channel after the other.
  Places(std::int64_t channels_of_group, std::int64_t taps_of_channel, std::int64_t block)
      : channels(channels_of_group), taps(taps_of_channel), terms(channels * taps) {
    if (block > 0) terms = (channels + block - 1) / block * block * taps;
    for (std::int64_t c = 0; c < channels; ++c)
      for (std::int64_t t = 0; t < taps; ++t)
        at.push_back(block == 0 ? c * taps + t : (c / block * taps + t) * block + c % block);
  }
};

/// The windows of all images, as columns of the product.
class Windows {
 public:
  Windows(const Conv& op, const ir::Tensor& x, const ir::Tensor& w, const ir::Shape& y, const Places& places)
      : x_(x.as<float>()), axes_(op.axes(x.shape(), w.shape())), places_(places), planes_(x.shape()[1]) {
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      volume_ *= axes_[i].extent;
      positions_ *= y[2 + i];
    }
    positions_of_axis_.assign(y.begin() + 2, y.end());
  }

  std::int64_t positions() const { return positions_; }

  /// Reads the taps of a group's filters at position `line` of all images; 0 outside the image.
  void read(std::int64_t group, std::int64_t line, float* to) const {
    const std::vector<std::int64_t> from = taps_at(line % positions_);
    const std::int64_t first = (line / positions_ * planes_ + group * places_.channels) * volume_;
    std::fill_n(to, places_.terms, 0.0F);
    const std::int64_t* at = places_.at.data();
    for (std::int64_t c = 0; c < places_.channels; ++c)
      for (const std::int64_t tap : from) {
        if (tap >= 0) to[*at] = x_[static_cast<std::size_t>(first + c * volume_ + tap)];
        ++at;
      }
  }

 private:
  /// Where each tap lies in a plane of an image; -1 outside.
  std::vector<std::int64_t> taps_at(std::int64_t position) const {
    std::vector<std::int64_t> from = {0};
    std::int64_t below = positions_;
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
      const ir::kernels::Window& window = axes_[axis];
      below /= positions_of_axis_[axis];
      const std::int64_t o = position / below % positions_of_axis_[axis];
      std::vector<std::int64_t> next;
      for (const std::int64_t before : from)
        for (std::int64_t t = 0; t < window.kernel; ++t) {
          const std::int64_t at = o * window.stride - window.pad_begin + t * window.dilation;
          const bool is_inside = before >= 0 && at >= 0 && at < window.extent;
          next.push_back(is_inside ? before * window.extent + at : -1);
        }
      from = std::move(next);
    }
    return from;
  }

  std::span<const float> x_;
  std::vector<ir::kernels::Window> axes_;
  const Places& places_;
  std::int64_t planes_, volume_ = 1, positions_ = 1;
  std::vector<std::int64_t> positions_of_axis_;
};

/// The filters of a group, as rows of the product.
Lines filters_of(std::span<const float> w, std::int64_t first, std::int64_t count, const Places& places) {
  const std::int64_t each = places.channels * places.taps, terms = places.terms;
  return {count, terms, [=, &places](std::int64_t row, std::int64_t n, float* to) {
            std::fill_n(to, n * terms, 0.0F);
            for (std::int64_t f = 0; f < n; ++f)
              for (std::int64_t i = 0; i < each; ++i)
                to[f * terms + places.at[static_cast<std::size_t>(i)]] =
                    w[static_cast<std::size_t>((first + row + f) * each + i)];
          }};
}

}  // namespace

ir::Tensor convolution(const Conv& op, std::span<const ir::TensorView> inputs, const ir::Shape& y,
                       const ProductEmulator& emulator, std::string_view order) {
  const ir::Tensor x = ir::convert(inputs[0], ir::DType::f32), w = ir::convert(inputs[1], ir::DType::f32);
  ir::Tensor result({ir::DType::f32, y});
  if (y.elements() == 0) return result;
  const std::int64_t taps = w.elements() / std::max<std::int64_t>(w.shape()[0] * w.shape()[1], 1);
  const Places places{w.shape()[1], taps, ir::kernels::channels_of_taps_first(order).value_or(0)};
  const Windows windows(op, x, w, y, places);
  const std::int64_t count = windows.positions(), all = y[0] * count, filters = y[1] / op.group;
  std::vector<float> bias(static_cast<std::size_t>(y[1]), 0.0F);
  if (op.has_bias) std::ranges::copy(ir::convert(inputs[2], ir::DType::f32).as<float>(), bias.begin());
  std::vector<float> sums(static_cast<std::size_t>(filters * all));
  for (std::int64_t group = 0; group < op.group; ++group) {
    const auto read = [&, group](std::int64_t first, std::int64_t n, float* to) {
      for (std::int64_t line = 0; line < n; ++line) windows.read(group, first + line, to + line * places.terms);
    };
    multiply(emulator, filters_of(w.as<float>(), group * filters, filters, places), {all, places.terms, read}, sums);
    for (std::int64_t f = 0; f < filters; ++f)
      for (std::int64_t s = 0; s < all; ++s) {
        const std::int64_t filter = group * filters + f;
        const float sum = sums[static_cast<std::size_t>(f * all + s)], added = bias[static_cast<std::size_t>(filter)];
        result.as<float>()[static_cast<std::size_t>((s / count * y[1] + filter) * count + s % count)] =
            op.has_bias ? emulator.kept(sum + added) : sum;
      }
  }
  return result;
}

}  // namespace plumb::parity::profile
