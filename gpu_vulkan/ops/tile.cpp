// Lowers tile to an index map of the elements.
#include "ir/ops/tile.hpp"

#include "gpu_vulkan/kernels/copy/index_map.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::Tile& op, plan::Lowering& node) {
  kernels::copy::index_map(op.map(node.in_type(0), node.out_type(0).shape), node);
}

}  // namespace plumb::gpu_vulkan
