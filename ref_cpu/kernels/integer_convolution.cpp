// A plane of the result is the sum of what each weight of its filter meets, line by line; unsigned numbers wrap.
#include "ref_cpu/kernels/integer_convolution.hpp"

#include "ref_cpu/kernels/codes.hpp"
#include "ref_cpu/kernels/spatial.hpp"
#include "ref_cpu/parallel.hpp"

namespace plumb::ref_cpu::kernels {
namespace {

/// The shape as which the zero points of filters broadcast to them.
ir::Shape shape_over_filters(const ir::TensorView& zero, const ir::Shape& w) {
  ir::Shape read(w.size(), 1);
  read[0] = zero.elements();
  return read;
}

const std::uint32_t* wrapping(const ir::Tensor& numbers) {
  return reinterpret_cast<const std::uint32_t*>(numbers.as<std::int32_t>().data());
}

}  // namespace

void integer_convolution(const CodeConvolution& c, const ir::MutableView& y) {
  const ir::Shape &image = c.x.shape(), &filters = c.w.shape();
  const ir::Tensor x = centred(c.x, c.x_zero, {});
  const ir::Tensor w =
      centred(c.w, c.w_zero, c.w_zero == nullptr ? ir::Shape() : shape_over_filters(*c.w_zero, filters));
  const Windows windows(c.axes, y.shape());
  const std::int64_t channels = filters[1], of_group = filters[0] / c.group, taps = windows.taps();
  const std::int64_t stride = windows.axes[2].stride, cost = windows.count() * channels * taps;
  auto* const sums = reinterpret_cast<std::uint32_t*>(y.as<std::int32_t>().data());
  parallel_for(image[0] * filters[0], (1 << 16) / (cost + 1) + 1, [&](std::int64_t plane, std::int64_t end) {
    for (; plane < end; ++plane) {
      std::uint32_t* const out = sums + plane * windows.count();
      std::fill_n(out, windows.count(), 0u);
      const std::int64_t n = plane / filters[0], m = plane % filters[0], first = m / of_group * channels;
      for (std::int64_t term = 0; term < channels * taps; ++term) {
        const std::uint32_t weight = wrapping(w)[m * channels * taps + term];
        const std::uint32_t* const seen = wrapping(x) + (n * image[1] + first + term / taps) * windows.image();
        for_each_line_of_tap(
            windows, term % taps, [=](ir::kernels::IndexRange range, std::int64_t at, std::int64_t line) {
              for_strided(range, stride,
                          [=](std::int64_t o, std::int64_t i) { out[line + o] += weight * seen[at + i]; });
            });
      }
    }
  });
}

}  // namespace plumb::ref_cpu::kernels
