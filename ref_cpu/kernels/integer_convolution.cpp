// A plane of the result is the sum of what each weight of its filter meets, line by line; unsigned numbers wrap.
#include "ref_cpu/kernels/integer_convolution.hpp"

#include "ref_cpu/kernels/codes.hpp"
#include "ref_cpu/parallel.hpp"

namespace plumb::ref_cpu::kernels {
namespace {

const std::uint32_t* wrapping(const ScratchRoom<std::int32_t>& numbers) {
  return reinterpret_cast<const std::uint32_t*>(numbers.data());
}

}  // namespace

CodeConvolutionPlan::CodeConvolutionPlan(const std::vector<ir::kernels::Window>& axes, std::int64_t groups,
                                         const CodeConvolution& of, const ir::Shape& y)
    : windows(axes, y), group(groups) {
  if (of.w_zero != nullptr) w_zero = shape_over_filters(*of.w_zero, of.w.shape().size() - 1);
}

void integer_convolution(const CodeConvolutionPlan& plan, const CodeConvolution& of, std::span<std::int32_t> y) {
  const ir::Shape &image = of.x.shape(), &filters = of.w.shape();
  const auto x = centred(of.x, of.x_zero, {}), w = centred(of.w, of.w_zero, plan.w_zero);
  const Windows& windows = plan.windows;
  const std::int64_t channels = filters[1], of_group = filters[0] / plan.group, taps = windows.taps();
  const std::int64_t stride = windows.axes[2].stride, cost = windows.count() * channels * taps;
  auto* const sums = reinterpret_cast<std::uint32_t*>(y.data());
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
