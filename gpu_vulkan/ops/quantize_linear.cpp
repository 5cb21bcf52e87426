// Lowers quantisers; in f64 where x or a scale is.
#include "ir/ops/quantize_linear.hpp"

#include "gpu_vulkan/kernels/elementwise/scaled.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::QuantizeLinear& op, plan::Lowering& node) {
  node.needs_its_types();
  const ir::DType x = node.in_type(0).dtype;
  const bool is_f64 = x == ir::DType::f64 || node.in_type(1).dtype == ir::DType::f64;
  const auto range = ir::kernels::code_range(op.dtype, op.bits);
  kernels::elementwise::scaled(
      {.shader = "quantize_linear",
       .x = is_f64 ? kernels::elementwise::operand_in(ir::DType::f64, 0, node) : node.in(0),
       .scales = kernels::elementwise::scales_of(is_f64, node),
       .y = node.out(0),
       .zeros = kernels::elementwise::zeros_of(op.has_zero_point, node),
       .from = is_f64 ? ir::DType::f64 : x,
       .to = op.dtype,
       .map = *ir::kernels::scale_map(node.in_type(0).shape, node.in_type(1).shape, op.axis, op.block_size),
       .code = op.code,
       .constants = {{"saturates", op.saturate}, {"least", plan::word(range.least)}, {"most", plan::word(range.most)}}},
      is_f64, node);
}

}  // namespace plumb::gpu_vulkan
