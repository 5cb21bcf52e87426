// Lowers a replaced box to a copy of the box, behind one of the whole where somebody else reads that.
#include "ir/ops/dynamic_update_slice.hpp"

#include "gpu_vulkan/kernels/copy/strided_copy.hpp"
#include "gpu_vulkan/kernels/indexing/dynamic_box.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::DynamicUpdateSlice&, plan::Lowering& node) {
  node.needs_its_sizes();
  const ir::TensorType &x = node.in_type(0), &update = node.in_type(1);
  if (update.shape == x.shape) return node.alias(0, 1);
  if (update.shape.elements() == 0) return node.alias(0, 0);
  const bool is_in_place = kernels::copy::begin_as_operand(node);
  using namespace kernels::indexing;
  dynamic_box(is_in_place ? BoxIs::written_over : BoxIs::written, {x, update.shape, 2, node.in(1), node.out(0)}, node);
}

}  // namespace plumb::gpu_vulkan
