// Lowers functions of one element: every one in every dtype that it takes, on devices that hold the dtype.
#include "ir/ops/unary.hpp"

#include "gpu_vulkan/kernels/elementwise/elementwise.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::Unary& op, plan::Lowering& node) {
  const ir::DType dtype = node.in_type(0).dtype;
  node.needs_its_types();
  kernels::elementwise::elementwise({.shader = "unary." + kernels::elementwise::variant_of(dtype, node.facts()),
                                     .pack = kernels::elementwise::pack_size(dtype),
                                     .constants = {{"function", op.function}},
                                     .operands = {0},
                                     .kind = plan::Elementwise::unary},
                                    node);
}

}  // namespace plumb::gpu_vulkan
