// Lowers a simple recurrent network: a dispatch for all steps, or one for each.
#include "ir/ops/rnn.hpp"

#include "gpu_vulkan/kernels/recurrent/recurrent.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::Rnn& op, plan::Lowering& node) {
  kernels::recurrent::Steps steps(kernels::recurrent::description_of(op, node), node);
  const auto written = [&](std::int64_t s) { return std::vector{steps.after(s), node.out(0), node.out(1)}; };
  if (steps.are_resident()) {
    steps.dispatch_resident("rnn_resident", {}, written(0));
    node.is_called("resident");
    return;
  }
  for (std::int64_t s = 0; s < steps.count(); ++s) steps.dispatch("rnn", s, steps.before(s), {}, written(s));
  node.is_called("stepwise");
}

}  // namespace plumb::gpu_vulkan
