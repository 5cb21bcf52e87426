#include "ir/ops/dot_general.hpp"

#include "ref_cpu/gemm/contract.hpp"
#include "ref_cpu/kernel.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::DotGeneral& op, Call& call) {
  const auto axes = op.labelling(call.in(0).shape(), call.in(1).shape());
  gemm::contract({call.in(0), axes.a}, {call.in(1), axes.b}, axes.y, call.out(0));
}

}  // namespace plumb::ref_cpu
