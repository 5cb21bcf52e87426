// Lowers bitcast to an alias: the bytes stay where they are.
#include "ir/ops/bitcast.hpp"

#include "gpu_vulkan/plan/lower.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::Bitcast&, plan::Lowering& node) { node.alias(0, 0); }

}  // namespace plumb::gpu_vulkan
