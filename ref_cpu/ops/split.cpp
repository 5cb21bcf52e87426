// Split as a strided copy of each output.
#include "ir/ops/split.hpp"

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/strided_copy.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::Split& op, Call& call) {
  const auto& copies = call.kept([&] {
    const std::size_t axis = call.in(0).shape().axis(op.axis);
    std::vector<kernels::PlannedCopy> all;
    std::int64_t start = 0;
    for (const ir::MutableView& y : call.outputs) {
      all.emplace_back(ir::kernels::read_part(call.in(0).type(), y.shape(), axis, start));
      start += y.shape()[axis];
    }
    return all;
  });
  for (std::size_t k = 0; k < copies.size(); ++k)
    kernels::strided_copy(copies[k], call.in(0).bytes(), call.out(k).bytes());
}

}  // namespace plumb::ref_cpu
