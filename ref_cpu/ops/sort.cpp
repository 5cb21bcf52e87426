// Sorting of lines in the total order, with the places of the elements as a second result.
#include "ir/ops/sort.hpp"

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/sorting.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::Sort& op, Call& call) {
  const auto lines = ir::along(call.in(0).shape(), op.axis);
  const kernels::Order order{.k = lines.length, .descending = op.descending};
  ir::visit_index(op.index_dtype, [&]<class Index>(Index) {
    const auto indices = call.out(1).as<Index>();
    const auto of = [&]<class T>(T) {
      kernels::sort_lines(call.in(0).as<T>(), lines, order, call.out(0).as<T>(), indices);
    };
    if (call.in(0).dtype() == ir::DType::boolean)
      of(bool{});
    else
      ir::visit_number(call.in(0).dtype(), of);
  });
}

}  // namespace plumb::ref_cpu
