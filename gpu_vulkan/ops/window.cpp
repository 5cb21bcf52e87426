// Lowers window functions to a copy of a table: their values follow from attributes and are uploaded with the plan.
#include "ir/ops/window.hpp"

#include "gpu_vulkan/kernels/copy/strided_copy.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::Window& op, plan::Lowering& node) {
  const plan::Slot table = node.table(op.values());
  kernels::copy::strided_copy(ir::kernels::read_strided(op.dtype, node.out_type(0).shape, {1}), table, node.out(0),
                              node);
}

}  // namespace plumb::gpu_vulkan
