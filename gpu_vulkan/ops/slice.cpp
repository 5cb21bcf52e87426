// Lowers slices with any steps to one strided copy.
#include "ir/ops/slice.hpp"

#include "gpu_vulkan/kernels/copy/strided_copy.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::Slice& op, plan::Lowering& node) {
  kernels::copy::strided_copy(op.copy(node.in_type(0), node.out_type(0).shape), node);
}

}  // namespace plumb::gpu_vulkan
