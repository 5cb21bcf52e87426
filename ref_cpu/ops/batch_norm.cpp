// Batch norm of inference: one factor for each channel, then a difference, a product and the bias.
#include "ir/ops/batch_norm.hpp"

#include <algorithm>
#include <cmath>

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/parallel.hpp"
#include "ref_cpu/scratch.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::BatchNorm& op, Call& call) {
  const auto channels = ir::along(call.in(0).shape(), op.axis);
  ir::visit_float(call.in(0).dtype(), [&]<class T>(T) {
    using C = ir::compute_t<T>;
    const auto x = call.in(0).as<T>(), scale = call.in(1).as<T>(), bias = call.in(2).as<T>();
    const auto mean = call.in(3).as<T>(), variance = call.in(4).as<T>();
    const auto y = call.out(0).as<T>();
    ScratchVector<C> factor(scale.size());
    for (std::size_t c = 0; c < factor.size(); ++c)
      factor[c] = static_cast<C>(scale[c]) / std::sqrt(static_cast<C>(variance[c]) + static_cast<C>(op.epsilon));
    const std::int64_t grain = std::max<std::int64_t>(1, 32768 / channels.inner);
    parallel_for(channels.outer * channels.length, grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row) {
        const auto c = static_cast<std::size_t>(row % channels.length);
        const C center = static_cast<C>(mean[c]), shift = static_cast<C>(bias[c]), r = factor[c];
        const auto first = static_cast<std::size_t>(row * channels.inner);
        for (std::size_t i = first; i < first + static_cast<std::size_t>(channels.inner); ++i)
          y[i] = static_cast<T>((static_cast<C>(x[i]) - center) * r + shift);
      }
    });
  });
}

}  // namespace plumb::ref_cpu
