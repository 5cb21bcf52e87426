#include "ir/ops/tile.hpp"

#include "gpu_vulkan/index_map.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::Tile& op, Lowering& node) {
  index_map(op.map(node.in_type(0), node.out_type(0).shape), node);
}

}  // namespace plumb::gpu_vulkan
