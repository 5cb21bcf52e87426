// Lowers PReLU, whose slopes broadcast; unsigned integers are passed through, as none is negative.
#include "ir/ops/prelu.hpp"

#include "gpu_vulkan/kernels/elementwise/elementwise.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::Prelu&, plan::Lowering& node) {
  const ir::DType dtype = node.in_type(0).dtype;
  node.needs_its_types();
  if (!ir::is_signed(dtype)) return node.alias(0, 0);  // nothing is negative
  kernels::elementwise::elementwise({.shader = ir::cat("prelu.", dtype),
                                     .pack = kernels::elementwise::pack_size(dtype),
                                     .constants = {},
                                     .operands = {0, 1}},
                                    node);
}

}  // namespace plumb::gpu_vulkan
