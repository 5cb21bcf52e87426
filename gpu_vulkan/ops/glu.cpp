// Lowers gated linear units; the product of f64 needs the device's 64-bit integers.
#include "ir/ops/glu.hpp"

#include "gpu_vulkan/kernels/elementwise/elementwise.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::Glu& op, plan::Lowering& node) {
  const ir::DType dtype = node.in_type(0).dtype;
  const device::DeviceFacts& facts = node.facts();
  node.needs_its_types();
  node.needs(dtype != ir::DType::f64 || facts.int64, facts.name, " has no 64-bit integers, in which f64 is multiplied");
  kernels::elementwise::elementwise({.shader = ir::cat("glu.", dtype),
                                     .pack = kernels::elementwise::pack_size(dtype),
                                     .constants = {{"function", ir::ops::unary_function(op.function)}},
                                     .operands = {0, 1}},
                                    node);
}

}  // namespace plumb::gpu_vulkan
