// Split as a strided copy of each output.
#include "ir/ops/split.hpp"

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/strided_copy.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::Split& op, Call& call) {
  const std::size_t axis = call.in(0).shape().axis(op.axis);
  std::int64_t start = 0;
  for (const ir::MutableView& y : call.outputs) {
    if (y.elements() == 0) continue;
    kernels::strided_copy(ir::kernels::read_part(call.in(0).type(), y.shape(), axis, start), call.in(0).bytes(),
                          y.bytes());
    start += y.shape()[axis];
  }
}

}  // namespace plumb::ref_cpu
