#include "ir/ops/expand.hpp"

#include "gpu_vulkan/strided_copy.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::Expand& op, Lowering& node) {
  strided_copy(op.copy(node.in_type(0), node.out_type(0).shape), node);
}

}  // namespace plumb::gpu_vulkan
