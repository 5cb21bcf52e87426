#include "ir/ops/unary.hpp"

#include "gpu_vulkan/kernels/elementwise/elementwise.hpp"

namespace plumb::gpu_vulkan {
namespace {

using ir::ops::UnaryFunction;

/// Functions that shaders have of f64: what takes no more than arithmetic and rounding, and those that models use most.
bool has_f64(UnaryFunction function) {
  switch (function) {
    case UnaryFunction::exp:
    case UnaryFunction::log:
    case UnaryFunction::sin:
    case UnaryFunction::cos:
    case UnaryFunction::tanh:
    case UnaryFunction::erf:
    case UnaryFunction::sigmoid:
    case UnaryFunction::silu:
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
      return true;
    default:
      return false;
  }
}

}  // namespace

void lower(const ir::ops::Unary& op, plan::Lowering& node) {
  const ir::DType dtype = node.in_type(0).dtype;
  const auto name = ir::enum_name(op.function);
  node.needs_its_types();
  node.needs(dtype != ir::DType::f64 || has_f64(op.function), "shaders have no ", name, " of f64");
  node.needs(dtype != ir::DType::c128, "shaders compute complex numbers in f32 parts only, not c128");
  kernels::elementwise::elementwise({.shader = "unary." + kernels::elementwise::variant_of(dtype, node.facts()),
                                     .pack = kernels::elementwise::pack_size(dtype),
                                     .constants = {{"function", op.function}},
                                     .operands = {0},
                                     .kind = plan::Elementwise::unary},
                                    node);
}

}  // namespace plumb::gpu_vulkan
