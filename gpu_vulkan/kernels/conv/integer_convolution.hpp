// Lowers convolutions of codes.
#pragma once

#include "gpu_vulkan/kernels/common/code_tiles.hpp"
#include "ir/kernels/window.hpp"

namespace plumb::gpu_vulkan::kernels::conv {

/// Dispatches a module over code_image.glsl that computes output 0 of the node, [N, M, O..]: the sums of products of
/// its operands `of`, filters on the left and an image on the right, and what follows.
void integer_convolution(const common::CodeOperands& of, const std::vector<ir::kernels::Window>& axes,
                         std::int64_t group, const common::CodeEpilogue& then, plan::Lowering& node);

}  // namespace plumb::gpu_vulkan::kernels::conv
