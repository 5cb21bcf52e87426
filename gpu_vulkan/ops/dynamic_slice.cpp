// Lowers a box at a place that is an operand to one copy.
#include "ir/ops/dynamic_slice.hpp"

#include "gpu_vulkan/kernels/indexing/dynamic_box.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::DynamicSlice&, plan::Lowering& node) {
  node.needs_its_sizes();
  if (node.in_type(0).shape == node.out_type(0).shape) return node.alias(0, 0);
  using namespace kernels::indexing;
  dynamic_box(BoxIs::read, {node.in_type(0), node.out_type(0).shape, 1, node.in(0), node.out(0)}, node);
}

}  // namespace plumb::gpu_vulkan
