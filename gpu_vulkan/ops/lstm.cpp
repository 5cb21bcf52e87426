// Lowers a long short-term memory: a dispatch for each step.
#include "ir/ops/lstm.hpp"

#include "gpu_vulkan/kernels/recurrent/recurrent.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::Lstm& op, plan::Lowering& node) {
  const kernels::recurrent::Description description = kernels::recurrent::description_of(op, node);
  kernels::recurrent::Steps steps(description, node);
  const plan::Slot peephole = node.in(description.operands.peephole.value_or(0));
  for (std::int64_t s = 0; s < steps.count(); ++s)
    steps.dispatch(
        "lstm", s, steps.before(s), {peephole},
        {steps.after(s), steps.cell(), node.out(0), node.out(1), node.out(2), node.out(op.cell_states ? 3 : 0)});
  node.is_called("stepwise");
}

}  // namespace plumb::gpu_vulkan
