// Group norm, as all norms by groups of channels.
#include "ir/ops/group_norm.hpp"

#include "ref_cpu/kernels/normalize.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::GroupNorm& op, Call& call) {
  kernels::normalize_groups(call, op.num_groups, op.epsilon, op.has_scale ? &call.in(1) : nullptr,
                            op.has_bias ? &call.inputs.back() : nullptr);
}

}  // namespace plumb::ref_cpu
