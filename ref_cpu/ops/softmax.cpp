// Softmax of lines: the peak is taken off, exponentials are summed pairwise, and a NaN or +inf spoils the whole line.
#include "ir/ops/softmax.hpp"

#include <limits>

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/exponential.hpp"
#include "ref_cpu/kernels/fold.hpp"
#include "ref_cpu/kernels/lines.hpp"
#include "ref_cpu/published_sums.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::Softmax& op, Call& call) {
  const auto lines = ir::along(call.in(0).shape(), op.axis);
  ir::visit_float(call.in(0).dtype(), [&]<class T>(T) {
    using C = ir::compute_t<T>;
    kernels::transform_lines(call.in(0).as<T>(), call.out(0).as<T>(), lines, [](std::span<C> line) {
      // NaN, +inf or a line of only -inf makes a difference to the peak NaN, and so the sum and the whole line.
      const auto n = static_cast<std::int64_t>(line.size());
      const C peak = kernels::largest(line.data(), n, -std::numeric_limits<C>::infinity());
      for (C& x : line) x = kernels::exp_nonpositive(x - peak);
      const C total = kernels::sum(n, [x = line.data()](std::int64_t k) { return x[k]; });
      for (C& x : line) x /= total;
    });
  });
}

std::vector<ir::Sum> published_sums(const ir::ops::Softmax& op, ir::Types in) {
  if (!adds_in_f32(in[0].dtype)) return {};
  const std::int64_t length = in[0].shape[in[0].shape.axis(op.axis)];
  return {{.of = ir::SumName::row_sum, .levels = kernels::fold_levels(length), .is_rounded = true}};
}

}  // namespace plumb::ref_cpu
