// Lowers real numbers of complex ones: parts are copied as they are, modulus, angle and square are computed.
#include "ir/ops/complex_part.hpp"

#include "gpu_vulkan/kernels/common/sums.hpp"
#include "gpu_vulkan/kernels/copy/strided_copy.hpp"
#include "gpu_vulkan/kernels/elementwise/elementwise.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::ComplexPart& op, plan::Lowering& node) {
  using ir::ops::ComplexPartFunction;
  const ir::TensorType& z = node.in_type(0);
  const ir::DType part = node.out_type(0).dtype;
  node.needs_its_sizes();
  node.needs(z.shape.elements() < std::int64_t{1} << 30, "shaders count no more than 2^31 parts");
  if (op.function == ComplexPartFunction::real || op.function == ComplexPartFunction::imag) {
    const std::int64_t first = op.function == ComplexPartFunction::imag ? 1 : 0;
    kernels::copy::strided_copy(ir::kernels::read_strided(part, {z.shape.elements()}, {2}, first), node);
    return;
  }
  const bool is_wide = part == ir::DType::f64;
  node.needs(node.facts().holds(part), node.facts().name, " has no ", part, " in shaders");
  node.needs(!is_wide || op.function != ComplexPartFunction::angle, "shaders have no angle of f64");
  if (op.function == ComplexPartFunction::norm_squared)
    kernels::common::publish({.unit = ir::SumUnit::either, .levels = {kernels::common::chain()}}, part, node);
  kernels::elementwise::elementwise({.shader = is_wide ? "complex_part.f64" : "complex_part.c64",
                                     .pack = is_wide ? 1 : kernels::elementwise::pack_size(z.dtype),
                                     .constants = {{"function", op.function}},
                                     .operands = {0}},
                                    node);
}

}  // namespace plumb::gpu_vulkan
