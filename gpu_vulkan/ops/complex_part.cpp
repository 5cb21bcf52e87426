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
  node.needs(node.facts().holds(part), node.facts().name, " has no ", part, " in shaders");
  if (op.function == ComplexPartFunction::norm_squared)
    kernels::common::publish({.unit = ir::SumUnit::either, .levels = {kernels::common::chain()}}, part, node);
  kernels::elementwise::elementwise({.shader = ir::cat("complex_part.", z.dtype),
                                     .pack = kernels::elementwise::pack_size(z.dtype),
                                     .constants = {{"function", op.function}},
                                     .operands = {0}},
                                    node);
}

}  // namespace plumb::gpu_vulkan
