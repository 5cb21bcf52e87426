// Lowers products of codes and scales: in f64 where a scale or the result is, which is then converted.
#include "ir/ops/dequantize_linear.hpp"

#include "gpu_vulkan/kernels/elementwise/convert.hpp"
#include "gpu_vulkan/kernels/elementwise/scaled.hpp"

namespace plumb::gpu_vulkan {
namespace {

/// How the result's dtype, narrower than f64, has its numbers.
plan::Constants small_constants_of(ir::DType dtype) {
  switch (dtype) {
    case ir::DType::f16:
      return {{"y_fraction_bits", 10u}, {"y_least_exponent", plan::word(-14)}, {"y_infinity", 0x7C00u}};
    case ir::DType::bf16:
      return {{"y_fraction_bits", 7u}, {"y_least_exponent", plan::word(-126)}, {"y_infinity", 0x7F80u}};
    default:
      return {{"y_fraction_bits", 23u}, {"y_least_exponent", plan::word(-126)}, {"y_infinity", 0x7F800000u}};
  }
}

}  // namespace

void lower(const ir::ops::DequantizeLinear& op, plan::Lowering& node) {
  node.needs_its_types();
  const ir::TensorType& y = node.out_type(0);
  const bool is_f64 = y.dtype == ir::DType::f64 || node.in_type(1).dtype == ir::DType::f64;
  const bool is_converted = is_f64 && y.dtype != ir::DType::f64;
  const plan::Slot wide = is_converted ? node.scratch(ir::TensorType{ir::DType::f64, y.shape}.bytes()) : node.out(0);
  kernels::elementwise::scaled(
      {.shader = "dequantize_linear",
       .x = node.in(0),
       .scales = kernels::elementwise::scales_of(is_f64, node),
       .y = wide,
       .zeros = kernels::elementwise::zeros_of(op.has_zero_point, node),
       .from = node.in_type(0).dtype,
       .to = is_f64 ? ir::DType::f64 : y.dtype,
       .map = *ir::kernels::scale_map(node.in_type(0).shape, node.in_type(1).shape, op.axis, op.block_size),
       .code = op.code,
       .constants = small_constants_of(y.dtype)},
      is_f64, node);
  if (is_converted) kernels::elementwise::convert(ir::DType::f64, wide, y.dtype, node.out(0), y.shape.elements(), node);
}

}  // namespace plumb::gpu_vulkan
