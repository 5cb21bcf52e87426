// Lowers expand to a strided copy with strides of 0 along stretched axes.
#include "ir/ops/expand.hpp"

#include "gpu_vulkan/kernels/copy/strided_copy.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::Expand& op, plan::Lowering& node) {
  kernels::copy::strided_copy(op.copy(node.in_type(0), node.out_type(0).shape), node);
}

}  // namespace plumb::gpu_vulkan
