// Products with packed weights, whose rows have one matrix or that of their expert.
#pragma once

#include <optional>

#include "gpu_vulkan/plan/lower.hpp"
#include "ir/kernels/packed/operands.hpp"

namespace plumb::gpu_vulkan::kernels::gemm {

/// A product of operand 0 and packed weights, operand 1 and those behind it, as packed_matmul.comp computes it. A bias
/// is the last operand.
struct PackedProduct {
  ir::kernels::packed::Packing packing;
  ir::kernels::packed::WeightDtype weight_dtype = ir::kernels::packed::WeightDtype::f32;
  bool has_bias = false;
  std::optional<std::size_t> x_scales = {};  ///< the operand that has the scales of x, where x is codes
  std::optional<std::size_t> expert = {};    ///< the operand that says which matrix a row has
};

void lower_packed(const PackedProduct& product, plan::Lowering& node);

}  // namespace plumb::gpu_vulkan::kernels::gemm
