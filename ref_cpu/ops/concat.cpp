// Concat as a strided copy of each input.
#include "ir/ops/concat.hpp"

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/strided_copy.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::Concat& op, Call& call) {
  const auto& copies = call.kept([&] {
    const std::size_t axis = call.out(0).shape().axis(op.axis);
    std::vector<kernels::PlannedCopy> all;
    std::int64_t start = 0;
    for (const ir::TensorView& x : call.inputs) {
      all.emplace_back(ir::kernels::write_part(call.out(0).type(), x.shape(), axis, start));
      start += x.shape()[axis];
    }
    return all;
  });
  for (std::size_t i = 0; i < copies.size(); ++i)
    kernels::strided_copy(copies[i], call.in(i).bytes(), call.out(0).bytes());
}

}  // namespace plumb::ref_cpu
