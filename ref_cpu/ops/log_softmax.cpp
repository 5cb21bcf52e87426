// Log-softmax of lines: (x - peak) - log of the sum, so that no small probability is made on the way.
#include "ir/ops/log_softmax.hpp"

#include <limits>

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/exponential.hpp"
#include "ref_cpu/kernels/fold.hpp"
#include "ref_cpu/kernels/lines.hpp"
#include "ref_cpu/published_sums.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::LogSoftmax& op, Call& call) {
  const auto lines = ir::along(call.in(0).shape(), op.axis);
  ir::visit_float(call.in(0).dtype(), [&]<class T>(T) {
    using C = ir::compute_t<T>;
    kernels::transform_lines(call.in(0).as<T>(), call.out(0).as<T>(), lines, [](std::span<C> line) {
      const auto n = static_cast<std::int64_t>(line.size());
      const C peak = kernels::largest(line.data(), n, -std::numeric_limits<C>::infinity());
      const C* const x = line.data();
      const C log_total =
          std::log(kernels::sum(n, [x, peak](std::int64_t k) { return kernels::exp_nonpositive(x[k] - peak); }));
      for (C& value : line) value = (value - peak) - log_total;
    });
  });
}

std::vector<ir::Sum> published_sums(const ir::ops::LogSoftmax& op, ir::Types in) {
  if (!adds_in_f32(in[0].dtype)) return {};
  const std::int64_t length = in[0].shape[in[0].shape.axis(op.axis)];
  return {{.of = ir::SumName::row_sum, .levels = kernels::fold_levels(length), .is_rounded = true}};
}

}  // namespace plumb::ref_cpu
