// Expand as a strided copy with strides of 0.
#include "ir/ops/expand.hpp"

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/strided_copy.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::Expand& op, Call& call) {
  const auto& copy = call.kept([&] { return kernels::PlannedCopy(op.copy(call.in(0).type(), call.out(0).shape())); });
  kernels::strided_copy(copy, call.in(0).bytes(), call.out(0).bytes());
}

}  // namespace plumb::ref_cpu
