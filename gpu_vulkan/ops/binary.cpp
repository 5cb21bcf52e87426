// Lowers binary functions, and refuses f64 transcendentals and c128, which shaders do not have.
#include "ir/ops/binary.hpp"

#include "gpu_vulkan/kernels/elementwise/elementwise.hpp"

namespace plumb::gpu_vulkan {

using ir::ops::BinaryFunction;

void lower(const ir::ops::Binary& op, plan::Lowering& node) {
  const ir::DType dtype = node.in_type(0).dtype;
  const auto name = ir::enum_name(op.function);
  const bool transcendental = op.function == BinaryFunction::power || op.function == BinaryFunction::atan2;
  node.needs_its_types();
  if (dtype == ir::DType::f64) {
    node.needs(!transcendental, "shaders have no ", name, " of f64");
    node.needs(node.facts().int64, node.facts().name, " has no 64-bit integers, which divide f64 exactly");
  }
  node.needs(dtype != ir::DType::c128, "shaders compute complex numbers in f32 parts only, not c128");
  kernels::elementwise::elementwise({.shader = "binary." + kernels::elementwise::variant_of(dtype, node.facts()),
                                     .pack = kernels::elementwise::pack_size(dtype),
                                     .constants = {{"function", op.function}},
                                     .operands = {0, 1},
                                     .kind = plan::Elementwise::binary},
                                    node);
}

}  // namespace plumb::gpu_vulkan
