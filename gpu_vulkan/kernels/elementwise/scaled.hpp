#pragma once

#include "gpu_vulkan/plan/lower.hpp"
#include "ir/kernels/linear_codes.hpp"

namespace plumb::gpu_vulkan::kernels::elementwise {

/// A shader over gpu_vulkan/kernels/elementwise/scaled.glsl, w32 or f64: x, its scales, and its zero points if any.
struct Scaled {
  std::string shader;
  plan::Slot x = 0, scales = 0, y = 0;
  std::optional<plan::Slot> zeros = {};                  ///< they are of i32
  ir::DType from = ir::DType::f32, to = ir::DType::f32;  ///< dtypes of x and y as the shader has them
  ir::kernels::ScaleMap map = {};
  ir::kernels::CodeFormat code = ir::kernels::CodeFormat::integer;
  plan::Constants constants;  ///< from constant_id 14 on
};

/// Dispatches it over the elements of the node's first result. It takes scales in f32 or, `is_f64`, in f64.
void scaled(const Scaled& kernel, bool is_f64, plan::Lowering& node);

/// Operand `i` in a dtype: itself where it has that.
plan::Slot operand_in(ir::DType dtype, std::size_t i, plan::Lowering& node);
/// Operand 1, scales, as `scaled` takes them, and operand 2, zero points, where there are any.
plan::Slot scales_of(bool is_f64, plan::Lowering& node);
std::optional<plan::Slot> zeros_of(bool has_zero_point, plan::Lowering& node);

}  // namespace plumb::gpu_vulkan::kernels::elementwise
