// Lowers predicates of floats, such as is-NaN, to one elementwise shader.
#include "ir/ops/classify.hpp"

#include "gpu_vulkan/kernels/elementwise/elementwise.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::Classify& op, plan::Lowering& node) {
  const ir::DType dtype = node.in_type(0).dtype;
  node.needs_its_types();
  kernels::elementwise::elementwise({.shader = ir::cat("classify.", dtype),
                                     .pack = kernels::elementwise::pack_size(dtype),
                                     .constants = {{"function", op.function}},
                                     .operands = {0}},
                                    node);
}

}  // namespace plumb::gpu_vulkan
