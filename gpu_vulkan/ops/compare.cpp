// Lowers comparisons to an elementwise shader; f64 is compared as 64-bit integers, which the device must have.
#include "ir/ops/compare.hpp"

#include "gpu_vulkan/kernels/elementwise/elementwise.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::Compare& op, plan::Lowering& node) {
  const ir::DType dtype = node.in_type(0).dtype;
  const device::DeviceFacts& facts = node.facts();
  node.needs_its_types();
  node.needs(dtype != ir::DType::f64 || facts.int64, facts.name, " has no 64-bit integers, as which f64 is compared");
  kernels::elementwise::elementwise({.shader = ir::cat("compare.", dtype),
                                     .pack = kernels::elementwise::pack_size(dtype),
                                     .constants = {{"function", op.function}},
                                     .operands = {0, 1}},
                                    node);
}

}  // namespace plumb::gpu_vulkan
