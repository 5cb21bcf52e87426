#include "ir/ops/unary.hpp"

#include "gpu_vulkan/kernels/elementwise/elementwise.hpp"

namespace plumb::gpu_vulkan {
namespace {

using ir::ops::UnaryFunction;

/// Functions that take more than arithmetic and rounding to compute.
bool is_transcendental(UnaryFunction function) {
  switch (function) {
    case UnaryFunction::abs:
    case UnaryFunction::negate:
    case UnaryFunction::sign:
    case UnaryFunction::square:
    case UnaryFunction::reciprocal:
    case UnaryFunction::sqrt:
    case UnaryFunction::rsqrt:
    case UnaryFunction::floor:
    case UnaryFunction::ceil:
    case UnaryFunction::trunc:
    case UnaryFunction::round:
    case UnaryFunction::relu:
    case UnaryFunction::softsign:
    case UnaryFunction::hard_swish:
      return false;
    default:
      return true;
  }
}

}  // namespace

void lower(const ir::ops::Unary& op, plan::Lowering& node) {
  const ir::DType dtype = node.in_type(0).dtype;
  const auto name = ir::enum_name(op.function);
  const bool algebraic = op.function == UnaryFunction::negate || op.function == UnaryFunction::square ||
                         op.function == UnaryFunction::conjugate;
  node.needs_its_types();
  node.needs(dtype != ir::DType::f64 || !is_transcendental(op.function), "shaders have no ", name, " of f64");
  node.needs(dtype != ir::DType::c128, "shaders compute complex numbers in f32 parts only, not c128");
  node.needs(dtype != ir::DType::c64 || algebraic, "shaders have no ", name, " of complex numbers");
  kernels::elementwise::elementwise({.shader = "unary." + kernels::elementwise::variant_of(dtype, node.facts()),
                                     .pack = kernels::elementwise::pack_size(dtype),
                                     .constants = {{"function", op.function}},
                                     .operands = {0},
                                     .kind = plan::Elementwise::unary},
                                    node);
}

}  // namespace plumb::gpu_vulkan
