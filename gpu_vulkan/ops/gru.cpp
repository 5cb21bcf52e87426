// Lowers a gated recurrent unit: a dispatch for all steps, or one for each, or two where the product with
// R_h waits for the reset gate.
#include "ir/ops/gru.hpp"

#include "gpu_vulkan/kernels/recurrent/recurrent.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::Gru& op, plan::Lowering& node) {
  kernels::recurrent::Steps steps(kernels::recurrent::description_of(op, node), node);
  const auto written = [&](std::int64_t s) { return std::vector{steps.after(s), node.out(0), node.out(1)}; };
  if (steps.are_resident()) {
    steps.dispatch_resident("gru_resident", {}, written(0));
    node.is_called("resident");
    return;
  }
  if (op.linear_before_reset) {
    for (std::int64_t s = 0; s < steps.count(); ++s) steps.dispatch("gru", s, steps.before(s), {}, written(s));
  } else {
    const plan::Slot update = steps.scratch(), reset = steps.scratch();
    for (std::int64_t s = 0; s < steps.count(); ++s) {
      steps.dispatch("gru_gates", s, steps.before(s), {}, {update, reset});
      steps.dispatch("gru_update", s, reset, {steps.before(s), update}, written(s));
    }
  }
  node.is_called("stepwise");
}

}  // namespace plumb::gpu_vulkan
