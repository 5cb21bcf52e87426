#include "ir/ops/where.hpp"

#include "gpu_vulkan/elementwise.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::Where&, Lowering& node) {
  const ir::DType dtype = node.out_type(0).dtype;
  const std::size_t bytes = ir::info(dtype).bytes;
  const DeviceFacts& facts = node.facts();
  node.needs_its_sizes();
  node.needs(facts.storage8, facts.name, " has no bool in shaders");
  node.needs(bytes != 2 || facts.storage16, facts.name, " has no ", dtype, " in shaders");
  elementwise({.shader = ir::cat("where.w", bytes), .pack = pack_size(dtype), .constants = {}, .operands = {0, 1, 2}},
              node);
}

}  // namespace plumb::gpu_vulkan
