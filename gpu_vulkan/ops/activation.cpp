// Lowers activations with parameters, which reach the shader as specialization constants: as bits of f32 or f64.
#include "ir/ops/activation.hpp"

#include <bit>

#include "gpu_vulkan/kernels/elementwise/elementwise.hpp"

namespace plumb::gpu_vulkan {
namespace {

using ir::ops::ActivationFunction;

bool is_transcendental(ActivationFunction function) {
  return function != ActivationFunction::leaky_relu && function != ActivationFunction::hard_sigmoid &&
         function != ActivationFunction::thresholded_relu && function != ActivationFunction::shrink;
}

/// A parameter as the shader's variant takes it: the low word and the high one of f64. Never
/// -0, which as a threshold would have zeros on either side.
std::array<std::uint32_t, 2> words_of(double given, ir::DType dtype) {
  const double x = given + 0.0;
  if (dtype != ir::DType::f64) return {std::bit_cast<std::uint32_t>(static_cast<float>(x)), 0};
  const auto bits = std::bit_cast<std::uint64_t>(x);
  return {static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)};
}

}  // namespace

void lower(const ir::ops::Activation& op, plan::Lowering& node) {
  const ir::DType dtype = node.in_type(0).dtype;
  node.needs_its_types();
  node.needs(dtype != ir::DType::f64 || !is_transcendental(op.function), "shaders have no ", ir::enum_name(op.function),
             " of f64");
  const auto alpha = words_of(op.alpha, dtype), beta = words_of(op.beta, dtype);
  kernels::elementwise::elementwise({.shader = ir::cat("activation.", dtype),
                                     .pack = kernels::elementwise::pack_size(dtype),
                                     .constants = {{"function", op.function},
                                                   {"alpha_low", alpha[0]},
                                                   {"alpha_high", alpha[1]},
                                                   {"beta_low", beta[0]},
                                                   {"beta_high", beta[1]}},
                                     .operands = {0}},
                                    node);
}

}  // namespace plumb::gpu_vulkan
