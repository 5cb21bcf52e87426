// Lowers reshape to an alias.
#include "ir/ops/reshape.hpp"

#include "gpu_vulkan/plan/lower.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::Reshape&, plan::Lowering& node) { node.alias(0, 0); }

}  // namespace plumb::gpu_vulkan
