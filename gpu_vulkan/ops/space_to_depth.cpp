// Lowers space-to-depth to one strided copy.
#include "ir/ops/space_to_depth.hpp"

#include "gpu_vulkan/kernels/copy/strided_copy.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::SpaceToDepth& op, plan::Lowering& node) {
  kernels::copy::strided_copy(op.copy(node.in_type(0)), node);
}

}  // namespace plumb::gpu_vulkan
