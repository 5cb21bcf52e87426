// Lowers log-softmax to the kernels that it shares with softmax.
#include "ir/ops/log_softmax.hpp"

#include "gpu_vulkan/kernels/rows/softmax.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::LogSoftmax& op, plan::Lowering& node) {
  kernels::rows::lower_softmax(op.name, op.axis, node);
}

}  // namespace plumb::gpu_vulkan
