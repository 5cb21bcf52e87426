// Instance norm, as group norm of one channel a group.
#include "ir/ops/instance_norm.hpp"

#include "ref_cpu/kernels/normalize.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::InstanceNorm& op, Call& call) {
  kernels::normalize_groups(call, call.in(0).shape()[1], op.epsilon, &call.in(1), &call.in(2));
}

}  // namespace plumb::ref_cpu
