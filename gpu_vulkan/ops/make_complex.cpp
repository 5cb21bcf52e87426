// Lowers complex numbers from two reals: parts are moved as words, whatever they are, or made of modulus and angle.
#include "ir/ops/make_complex.hpp"

#include "gpu_vulkan/kernels/elementwise/elementwise.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::MakeComplex& op, plan::Lowering& node) {
  const ir::DType dtype = node.in_type(0).dtype;
  node.needs_its_sizes();
  node.needs(node.out_type(0).shape.elements() < std::int64_t{1} << 30, "shaders count no more than 2^31 parts");
  const bool is_polar = op.form == ir::ops::ComplexForm::polar;
  node.needs(!is_polar || node.facts().holds(dtype), node.facts().name, " has no ", dtype, " in shaders");
  kernels::elementwise::elementwise(
      {.shader = is_polar ? ir::cat("make_complex.", dtype) : ir::cat("make_complex.w", ir::info(dtype).bytes),
       .pack = kernels::elementwise::pack_size(dtype),
       .constants = {},
       .operands = {0, 1}},
      node);
}

}  // namespace plumb::gpu_vulkan
