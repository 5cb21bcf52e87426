#include "ir/ops/conv_transpose.hpp"

#include "ref_cpu/gemm/gemm.hpp"
#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/computed.hpp"
#include "ref_cpu/kernels/spatial.hpp"
#include "ref_cpu/scratch.hpp"

namespace plumb::ref_cpu {
namespace {

/// Products of x with a few filters' kernels give columns, which are added where they belong.
template <class T>
void transposed(const ir::ops::ConvTranspose& op, const ir::Shape& x_shape, const ir::Shape& w_shape, Call& call) {
  using C = ir::compute_t<T>;
  const auto& w = call.kept([&] { return kernels::Windows(op.axes(x_shape, w_shape), x_shape); });
  const kernels::Computed<T> x(call.in(0)), weights(call.in(1));
  const T* const bias = op.has_bias ? call.in(2).as<T>().data() : nullptr;
  T* const y = call.out(0).as<T>().data();
  const std::int64_t channels = x_shape[1] / op.group, filters = w_shape[1], taps = w.taps(), count = w.count();
  const std::int64_t together = std::clamp<std::int64_t>((1 << 19) / (taps * count + 1), 1, filters);
  const std::int64_t blocks = (filters + together - 1) / together;
  parallel_for(x_shape[0] * op.group * blocks, 1, [&](std::int64_t task, std::int64_t end) {
    for (; task < end; ++task) {
      const std::int64_t image = task / blocks, group = image % op.group, first = task % blocks * together;
      const std::int64_t some = std::min(together, filters - first);
      ScratchVector<C> columns(static_cast<std::size_t>(some * taps * count));
      const gemm::Matrix<const C> kernels{weights.data() + (group * channels * filters + first) * taps, channels,
                                          some * taps, filters * taps};
      gemm::multiply(kernels.transposed(), gemm::row_major(x.data() + image * channels * count, channels, count),
                     gemm::row_major(columns.data(), some * taps, count));
      for (std::int64_t f = 0; f < some; ++f) {
        const C start = bias != nullptr ? static_cast<C>(bias[group * filters + first + f]) : C{0};
        ScratchVector<C> sums(static_cast<std::size_t>(w.image()), start);
        kernels::add_columns(w, columns.data() + f * taps * count, sums.data());
        std::ranges::transform(sums, y + (image * filters + first + f) * w.image(),
                               [](C sum) { return static_cast<T>(sum); });
      }
    }
  });
}

}  // namespace

void run(const ir::ops::ConvTranspose& op, Call& call) {
  ir::visit_float(call.in(0).dtype(),
                  [&]<class T>(T) { transposed<T>(op, call.in(0).shape(), call.in(1).shape(), call); });
}

}  // namespace plumb::ref_cpu
