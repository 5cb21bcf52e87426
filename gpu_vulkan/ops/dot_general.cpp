// Lowers dot-general to a contraction of two labelled tensors.
#include "ir/ops/dot_general.hpp"

#include "gpu_vulkan/kernels/gemm/contract.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::DotGeneral& op, plan::Lowering& node) {
  node.needs_its_types();
  const auto axes = op.labelling(node.in_type(0).shape, node.in_type(1).shape);
  kernels::gemm::contract({node.in(0), axes.a}, {node.in(1), axes.b}, node.in_type(0).dtype,
                          {node.out(0), axes.y, op.accumulator == ir::DType::f16, axes.summed}, node);
}

}  // namespace plumb::gpu_vulkan
