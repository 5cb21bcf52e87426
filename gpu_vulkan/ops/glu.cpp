// Lowers gated linear units.
#include "ir/ops/glu.hpp"

#include "gpu_vulkan/kernels/elementwise/elementwise.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::Glu& op, plan::Lowering& node) {
  const ir::DType dtype = node.in_type(0).dtype;
  node.needs_its_types();
  kernels::elementwise::elementwise({.shader = ir::cat("glu.", dtype),
                                     .pack = kernels::elementwise::pack_size(dtype),
                                     .constants = {{"function", ir::ops::unary_function(op.function)}},
                                     .operands = {0, 1}},
                                    node);
}

}  // namespace plumb::gpu_vulkan
