#pragma once

#include "gpu_vulkan/plan/lower.hpp"
#include "ir/ops/conv.hpp"

namespace plumb::gpu_vulkan::kernels::conv {

/// The operations on the sums of a convolution before they are rounded (epilogue.glsl).
struct Epilogue {
  std::optional<plan::Slot> residual = {};  ///< added; as y
  std::optional<double> low = {}, high = {};
};

/// Chooses a kernel for the convolution of the node's first operands.
void lower_conv(const ir::ops::Conv& op, const Epilogue& epilogue, plan::Lowering& node);

}  // namespace plumb::gpu_vulkan::kernels::conv
