#include "ir/ops/log_softmax.hpp"

#include "gpu_vulkan/softmax.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::LogSoftmax& op, Lowering& node) { lower_softmax(op.name, op.axis, node); }

}  // namespace plumb::gpu_vulkan
