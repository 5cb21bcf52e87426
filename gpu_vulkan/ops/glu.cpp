// Lowers gated linear units.
#include "ir/ops/glu.hpp"

#include "gpu_vulkan/kernels/common/words.hpp"
#include "gpu_vulkan/kernels/elementwise/elementwise.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::Glu& op, plan::Lowering& node) {
  const ir::DType dtype = node.in_type(0).dtype;
  node.needs_its_types();
  const auto alpha = kernels::common::words_of(op.alpha, dtype), limit = kernels::common::words_of(op.limit, dtype),
             offset = kernels::common::words_of(op.offset, dtype);
  kernels::elementwise::elementwise({.shader = ir::cat("glu.", dtype),
                                     .pack = kernels::elementwise::pack_size(dtype),
                                     .constants = {{"function", ir::ops::unary_function(op.function)},
                                                   {"is_plain", op.is_plain()},
                                                   {"alpha_low", alpha[0]},
                                                   {"alpha_high", alpha[1]},
                                                   {"limit_low", limit[0]},
                                                   {"limit_high", limit[1]},
                                                   {"offset_low", offset[0]},
                                                   {"offset_high", offset[1]}},
                                     .operands = {0, 1}},
                                    node);
}

}  // namespace plumb::gpu_vulkan
