// Concat as a strided copy of each input.
#include "ir/ops/concat.hpp"

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/strided_copy.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::Concat& op, Call& call) {
  const std::size_t axis = call.out(0).shape().axis(op.axis);
  std::int64_t start = 0;
  for (const ir::TensorView& x : call.inputs) {
    if (x.elements() == 0) continue;
    kernels::strided_copy(ir::kernels::write_part(call.out(0).type(), x.shape(), axis, start), x.bytes(),
                          call.out(0).bytes());
    start += x.shape()[axis];
  }
}

}  // namespace plumb::ref_cpu
