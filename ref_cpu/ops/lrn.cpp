// Local response normalisation: squares are added over a window of channels, for a whole row of positions at a time.
#include "ir/ops/lrn.hpp"

#include <algorithm>
#include <cmath>

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/parallel.hpp"
#include "ref_cpu/scratch.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::Lrn& op, Call& call) {
  const auto channels = ir::along(call.in(0).shape(), 1);
  ir::visit_float(call.in(0).dtype(), [&]<class T>(T) {
    using C = ir::compute_t<T>;
    const auto x = call.in(0).as<T>();
    const auto y = call.out(0).as<T>();
    const C factor = static_cast<C>(op.alpha) / static_cast<C>(op.size);
    const std::int64_t grain = std::max<std::int64_t>(1, 4096 / channels.inner);
    parallel_for(channels.outer * channels.length, grain, [&](std::int64_t begin, std::int64_t end) {
      ScratchVector<C> squares(static_cast<std::size_t>(channels.inner));
      for (std::int64_t row = begin; row < end; ++row) {
        const std::int64_t c = row % channels.length, n = row / channels.length;
        const auto window = op.window(c, channels.length);
        const auto at = [&](std::int64_t channel) {
          return static_cast<std::size_t>((n * channels.length + channel) * channels.inner);
        };
        std::ranges::fill(squares, C{0});
        for (std::int64_t k = window.first; k < window.second; ++k)
          for (std::size_t i = 0; i < squares.size(); ++i) {
            const C value = static_cast<C>(x[at(k) + i]);
            squares[i] += value * value;
          }
        for (std::size_t i = 0; i < squares.size(); ++i)
          y[at(c) + i] =
              static_cast<T>(static_cast<C>(x[at(c) + i]) /
                             std::pow(static_cast<C>(op.bias) + factor * squares[i], static_cast<C>(op.beta)));
      }
    });
  });
}

}  // namespace plumb::ref_cpu
