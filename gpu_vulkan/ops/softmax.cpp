// Lowers softmax to the kernels that it shares with log-softmax.
#include "ir/ops/softmax.hpp"

#include "gpu_vulkan/kernels/rows/softmax.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::Softmax& op, plan::Lowering& node) { kernels::rows::lower_softmax(op.name, op.axis, node); }

}  // namespace plumb::gpu_vulkan
