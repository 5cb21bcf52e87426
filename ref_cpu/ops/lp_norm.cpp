// Normalises lines by their 1-norm or 2-norm.
#include "ir/ops/lp_norm.hpp"

#include <cmath>

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/exponent.hpp"
#include "ref_cpu/kernels/fold.hpp"
#include "ref_cpu/kernels/lines.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::LpNorm& op, Call& call) {
  const auto lines = ir::along(call.in(0).shape(), op.axis);
  ir::visit_float(call.in(0).dtype(), [&]<class T>(T) {
    using C = ir::compute_t<T>;
    kernels::transform_lines(call.in(0).as<T>(), call.out(0).as<T>(), lines, [&op](std::span<C> line) {
      // Near 1, where neither squares nor sums leave the range.
      const int exponent = kernels::exponent_of_largest<C>(static_cast<std::int64_t>(line.size()),
                                                           [&](std::int64_t k) { return line[std::size_t(k)]; });
      for (C& x : line) x = std::scalbn(x, -exponent);
      const C total = kernels::sum(static_cast<std::int64_t>(line.size()), [&](std::int64_t k) {
        const C x = line[static_cast<std::size_t>(k)];
        return op.p == 1 ? std::abs(x) : x * x;
      });
      if (total == 0) return;
      const C norm = op.p == 1 ? total : std::sqrt(total);
      for (C& x : line) x /= norm;
    });
  });
}

}  // namespace plumb::ref_cpu
