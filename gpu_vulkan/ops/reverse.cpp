// Lowers reverse to a strided copy with negative strides.
#include "ir/ops/reverse.hpp"

#include "gpu_vulkan/kernels/copy/strided_copy.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::Reverse& op, plan::Lowering& node) {
  kernels::copy::strided_copy(op.copy(node.in_type(0)), node);
}

}  // namespace plumb::gpu_vulkan
