// Lowers clamps whose limits are operands; x itself stands for a limit that is not given.
#include "ir/ops/clamp.hpp"

#include "gpu_vulkan/kernels/elementwise/elementwise.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::Clamp& op, plan::Lowering& node) {
  const ir::DType dtype = node.in_type(0).dtype;
  node.needs_its_types();
  if (!op.has_min && !op.has_max) return node.alias(0, 0);
  const std::size_t low = op.has_min ? 1 : 0, high = op.has_max ? low + 1 : 0;  // x stands for a limit not given
  kernels::elementwise::elementwise({.shader = ir::cat("clamp.", dtype),
                                     .pack = kernels::elementwise::pack_size(dtype),
                                     .constants = {{"has_low", op.has_min}, {"has_high", op.has_max}},
                                     .operands = {0, low, high}},
                                    node);
}

}  // namespace plumb::gpu_vulkan
