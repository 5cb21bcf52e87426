#pragma once

#include "gpu_vulkan/plan/lower.hpp"
#include "ir/ops/layer_norm.hpp"

namespace plumb::gpu_vulkan::kernels::norms {

/// Dispatches a layer norm of the node's first operand, to which its last is added first where it has a residual.
void lower_layer_norm(const ir::ops::LayerNorm& op, bool has_residual, plan::Lowering& node);

}  // namespace plumb::gpu_vulkan::kernels::norms
