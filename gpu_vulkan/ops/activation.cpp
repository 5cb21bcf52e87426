// Lowers activations with parameters, which reach the shader as specialization constants: as bits of f32 or f64.
#include "ir/ops/activation.hpp"

#include "gpu_vulkan/kernels/common/words.hpp"
#include "gpu_vulkan/kernels/elementwise/elementwise.hpp"

namespace plumb::gpu_vulkan {
void lower(const ir::ops::Activation& op, plan::Lowering& node) {
  const ir::DType dtype = node.in_type(0).dtype;
  node.needs_its_types();
  // Never -0, which as a threshold would have zeros on either side.
  const auto alpha = kernels::common::words_of(op.alpha + 0.0, dtype),
             beta = kernels::common::words_of(op.beta + 0.0, dtype);
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
