// Lowers a simple recurrent network: a dispatch for each step.
#include "ir/ops/rnn.hpp"

#include "gpu_vulkan/kernels/recurrent/recurrent.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::Rnn& op, plan::Lowering& node) {
  kernels::recurrent::Steps steps(kernels::recurrent::description_of(op, node), node);
  for (std::int64_t s = 0; s < steps.count(); ++s)
    steps.dispatch("rnn", s, steps.before(s), {}, {steps.after(s), node.out(0), node.out(1)});
  node.is_called("stepwise");
}

}  // namespace plumb::gpu_vulkan
