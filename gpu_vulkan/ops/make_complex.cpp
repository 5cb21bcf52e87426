// Lowers complex numbers from two reals: parts are moved as words, whatever they are; angles are those of f32.
#include "ir/ops/make_complex.hpp"

#include "gpu_vulkan/kernels/elementwise/elementwise.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::MakeComplex& op, plan::Lowering& node) {
  const ir::DType dtype = node.in_type(0).dtype;
  node.needs_its_sizes();
  node.needs(node.out_type(0).shape.elements() < std::int64_t{1} << 30, "shaders count no more than 2^31 parts");
  const bool is_polar = op.form == ir::ops::ComplexForm::polar;
  node.needs(!is_polar || dtype == ir::DType::f32, "shaders have no cos and sin of f64");
  kernels::elementwise::elementwise(
      {.shader = is_polar ? "make_complex.f32" : ir::cat("make_complex.w", ir::info(dtype).bytes),
       .pack = kernels::elementwise::pack_size(dtype),
       .constants = {},
       .operands = {0, 1}},
      node);
}

}  // namespace plumb::gpu_vulkan
