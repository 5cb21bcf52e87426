// Top-k of lines in the total order, sorted by value or by place.
#include "ir/ops/top_k.hpp"

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/sorting.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::TopK& op, Call& call) {
  const auto lines = ir::along(call.in(0).shape(), op.axis);
  const kernels::Order order{.k = op.k, .descending = op.largest, .by_index = !op.sorted};
  ir::visit_index(op.index_dtype, [&]<class Index>(Index) {
    ir::visit_number(call.in(0).dtype(), [&]<class T>(T) {
      kernels::sort_lines(call.in(0).as<T>(), lines, order, call.out(0).as<T>(), call.out(1).as<Index>());
    });
  });
}

}  // namespace plumb::ref_cpu
