// Lowers windows of lines to one strided copy, whose rows overlap where they are read.
#include "ir/ops/frame.hpp"

#include "gpu_vulkan/kernels/copy/strided_copy.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::Frame& op, plan::Lowering& node) {
  kernels::copy::strided_copy(op.copy(node.in_type(0), node.out_type(0).shape), node);
}

}  // namespace plumb::gpu_vulkan
