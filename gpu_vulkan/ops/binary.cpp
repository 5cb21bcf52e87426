// Lowers binary functions; those of f64 need the device's 64-bit integers.
#include "ir/ops/binary.hpp"

#include "gpu_vulkan/kernels/elementwise/elementwise.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::Binary& op, plan::Lowering& node) {
  const ir::DType dtype = node.in_type(0).dtype;
  node.needs_its_types();
  if (dtype == ir::DType::f64)
    node.needs(node.facts().int64, node.facts().name, " has no 64-bit integers, which divide f64 exactly");
  kernels::elementwise::elementwise({.shader = "binary." + kernels::elementwise::variant_of(dtype, node.facts()),
                                     .pack = kernels::elementwise::pack_size(dtype),
                                     .constants = {{"function", op.function}},
                                     .operands = {0, 1},
                                     .kind = plan::Elementwise::binary},
                                    node);
}

}  // namespace plumb::gpu_vulkan
