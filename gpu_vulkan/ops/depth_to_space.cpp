// Lowers depth-to-space to one strided copy.
#include "ir/ops/depth_to_space.hpp"

#include "gpu_vulkan/kernels/copy/strided_copy.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::DepthToSpace& op, plan::Lowering& node) {
  kernels::copy::strided_copy(op.copy(node.in_type(0)), node);
}

}  // namespace plumb::gpu_vulkan
