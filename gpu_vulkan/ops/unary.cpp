#include "ir/ops/unary.hpp"

#include "gpu_vulkan/elementwise.hpp"

namespace plumb::gpu_vulkan {
namespace {

using Function = ir::ops::UnaryFunction;

/// Functions that take more than arithmetic and rounding to compute.
bool is_transcendental(Function function) {
  switch (function) {
    case Function::abs:
    case Function::negate:
    case Function::sign:
    case Function::square:
    case Function::reciprocal:
    case Function::sqrt:
    case Function::rsqrt:
    case Function::floor:
    case Function::ceil:
    case Function::trunc:
    case Function::round:
    case Function::relu:
    case Function::softsign:
    case Function::hard_swish:
      return false;
    default:
      return true;
  }
}

}  // namespace

void lower(const ir::ops::Unary& op, Lowering& node) {
  const ir::DType dtype = node.in_type(0).dtype;
  const auto name = ir::enum_name(op.function);
  const bool algebraic =
      op.function == Function::negate || op.function == Function::square || op.function == Function::conjugate;
  node.needs_its_types();
  node.needs(dtype != ir::DType::f64 || !is_transcendental(op.function), "shaders have no ", name, " of f64");
  node.needs(dtype != ir::DType::c128, "shaders compute complex numbers in f32 parts only, not c128");
  node.needs(dtype != ir::DType::c64 || algebraic, "shaders have no ", name, " of complex numbers");
  elementwise({.shader = "unary." + variant_of(dtype, node.facts()),
               .pack = pack_size(dtype),
               .constants = {static_cast<std::uint32_t>(op.function)},
               .operands = {0}},
              node);
}

}  // namespace plumb::gpu_vulkan
