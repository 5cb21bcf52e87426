#include "ir/ops/lp_norm.hpp"

#include <cmath>

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/fold.hpp"
#include "ref_cpu/kernels/lines.hpp"

namespace plumb::ref_cpu {
namespace {

/// The exponent of the largest magnitude; 0 of zeros, and beside NaN and infinity.
template <class C>
int exponent_of_largest(std::span<const C> line) {
  const C peak = kernels::fold(
      0, static_cast<std::int64_t>(line.size()), C{0}, [&](std::int64_t k) { return std::abs(line[std::size_t(k)]); },
      [](C a, C b) { return a > b ? a : b; });
  return peak > 0 && std::isfinite(peak) ? std::ilogb(peak) : 0;
}

}  // namespace

void run(const ir::ops::LpNorm& op, Call& call) {
  const auto lines = ir::along(call.in(0).shape(), op.axis);
  ir::visit_float(call.in(0).dtype(), [&]<class T>(T) {
    using C = ir::compute_t<T>;
    kernels::transform_lines(call.in(0).as<T>(), call.out(0).as<T>(), lines, [&op](std::span<C> line) {
      // Near 1, where neither squares nor sums leave the range.
      const int exponent = exponent_of_largest<C>(line);
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
