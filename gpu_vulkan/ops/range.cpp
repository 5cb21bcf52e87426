#include "ir/ops/range.hpp"

#include "gpu_vulkan/strided_copy.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::Range& op, Lowering& node) {
  const Slot table = node.table(op.values());
  strided_copy(ir::read_strided(op.dtype, node.out_type(0).shape, {1}), table, node.out(0), node);
}

}  // namespace plumb::gpu_vulkan
