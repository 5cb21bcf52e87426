// Hardmax: 1 at the first largest element of a line, as which NaN counts, and 0 elsewhere.
#include "ir/ops/hardmax.hpp"

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/total_order.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::Hardmax& op, Call& call) {
  const auto lines = ir::along(call.in(0).shape(), op.axis);
  ir::visit_number(call.in(0).dtype(), [&]<class T>(T) {
    using C = ir::compute_t<T>;
    const auto y = call.out(0).as<T>();
    std::ranges::fill(y, static_cast<T>(C{0}));
    kernels::find_extremes(
        call.in(0).as<T>(), lines, false, [](C a, C b) { return kernels::precedes(b, a); },
        [&](std::int64_t line, std::int64_t k) { y[lines.at(line, k)] = static_cast<T>(C{1}); });
  });
}

}  // namespace plumb::ref_cpu
