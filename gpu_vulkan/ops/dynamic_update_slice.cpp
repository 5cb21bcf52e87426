// Lowers a replaced box to a copy of the whole and one of the box.
#include "ir/ops/dynamic_update_slice.hpp"

#include "gpu_vulkan/kernels/copy/strided_copy.hpp"
#include "gpu_vulkan/kernels/indexing/dynamic_box.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::DynamicUpdateSlice&, plan::Lowering& node) {
  node.needs_its_sizes();
  const ir::TensorType &x = node.in_type(0), &update = node.in_type(1);
  if (update.shape == x.shape) return node.alias(0, 1);
  if (update.shape.elements() == 0) return node.alias(0, 0);
  const ir::kernels::CopyAxis all{x.shape.elements(), 1, 1};
  kernels::copy::strided_copy({.width = ir::info(x.dtype).bytes, .axes = {all}}, node.in(0), node.out(0), node);
  using namespace kernels::indexing;
  dynamic_box(BoxIs::written, {x, update.shape, 2, node.in(1), node.out(0)}, node);
}

}  // namespace plumb::gpu_vulkan
