// Lowers a long short-term memory: a dispatch for all steps, or one for each.
#include "ir/ops/lstm.hpp"

#include "gpu_vulkan/kernels/recurrent/recurrent.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::Lstm& op, plan::Lowering& node) {
  const kernels::recurrent::Description description = kernels::recurrent::description_of(op, node);
  kernels::recurrent::Steps steps(description, node);
  const plan::Slot peephole = node.in(description.operands.peephole.value_or(0));
  const auto written = [&](std::int64_t s) {
    return std::vector{steps.after(s), steps.cell(), node.out(0),
                       node.out(1),    node.out(2),  node.out(op.cell_states ? 3 : 0)};
  };
  if (steps.are_resident()) {
    steps.dispatch_resident("lstm_resident", {peephole}, written(0));
    node.is_called("resident");
    return;
  }
  for (std::int64_t s = 0; s < steps.count(); ++s) steps.dispatch("lstm", s, steps.before(s), {peephole}, written(s));
  node.is_called("stepwise");
}

}  // namespace plumb::gpu_vulkan
