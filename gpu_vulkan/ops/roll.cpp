// Lowers roll to an index map of the elements.
#include "ir/ops/roll.hpp"

#include "gpu_vulkan/kernels/copy/index_map.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::Roll& op, plan::Lowering& node) { kernels::copy::index_map(op.map(node.in_type(0)), node); }

}  // namespace plumb::gpu_vulkan
