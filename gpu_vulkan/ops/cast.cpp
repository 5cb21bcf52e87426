// Lowers casts to the conversion kernel, or to an alias where the dtype stays.
#include "ir/ops/cast.hpp"

#include "gpu_vulkan/kernels/elementwise/convert.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::Cast& op, plan::Lowering& node) {
  const ir::DType from = node.in_type(0).dtype, to = op.to;
  if (from == to) return node.alias(0, 0);
  node.needs_its_types();
  node.needs(from != ir::DType::c128 && to != ir::DType::c128, "shaders have no cast of c128");
  kernels::elementwise::convert(from, node.in(0), to, node.out(0), node.out_type(0).shape.elements(), node);
}

}  // namespace plumb::gpu_vulkan
