// Lowers products of codes.
#pragma once

#include "gpu_vulkan/kernels/common/code_tiles.hpp"

namespace plumb::gpu_vulkan::kernels::gemm {

/// Dispatches a module over code_matrices.glsl that computes output 0 of the node, [batch.., M, N]: the sums of
/// products of its operands `of`, and what follows. Zero points are by rows of the left and by columns of the right
/// operand.
void integer_product(const common::CodeOperands& of, const common::CodeEpilogue& then, plan::Lowering& node);

}  // namespace plumb::gpu_vulkan::kernels::gemm
