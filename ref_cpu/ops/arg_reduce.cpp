// Arg-max and arg-min of lines, with NaN the extreme of either.
#include "ir/ops/arg_reduce.hpp"

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/total_order.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::ArgReduce& op, Call& call) {
  const auto lines = ir::along(call.in(0).shape(), op.axis);
  ir::visit_number(call.in(0).dtype(), [&]<class T>(T) {
    using C = ir::compute_t<T>;
    const bool largest = op.function == ir::ops::ArgReduceFunction::max;
    // NaN is the extreme of either function, so it is not the order turned round.
    const auto better = [largest](C a, C b) {
      if (a != a || b != b) return a != a && b == b;
      return largest ? a > b : a < b;
    };
    ir::visit_index(op.index_dtype, [&]<class Index>(Index) {
      const auto y = call.out(0).as<Index>();
      kernels::find_extremes(call.in(0).as<T>(), lines, op.select_last, better, [&](std::int64_t line, std::int64_t k) {
        y[static_cast<std::size_t>(line)] = static_cast<Index>(k);
      });
    });
  });
}

}  // namespace plumb::ref_cpu
