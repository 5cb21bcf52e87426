// Lowers where by words of the element's size, since nothing is computed with the values.
#include "ir/ops/where.hpp"

#include "gpu_vulkan/kernels/elementwise/elementwise.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::Where&, plan::Lowering& node) {
  const ir::DType dtype = node.out_type(0).dtype;
  const std::size_t bytes = ir::info(dtype).bytes;
  const device::DeviceFacts& facts = node.facts();
  node.needs_its_sizes();
  node.needs(facts.storage8, facts.name, " has no bool in shaders");
  node.needs(bytes != 2 || facts.storage16, facts.name, " has no ", dtype, " in shaders");
  kernels::elementwise::elementwise({.shader = ir::cat("where.w", bytes),
                                     .pack = kernels::elementwise::pack_size(dtype),
                                     .constants = {},
                                     .operands = {0, 1, 2}},
                                    node);
}

}  // namespace plumb::gpu_vulkan
