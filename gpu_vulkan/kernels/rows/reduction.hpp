#pragma once

#include "gpu_vulkan/plan/lower.hpp"
#include "ir/ops/reduce.hpp"

namespace plumb::gpu_vulkan::kernels::rows {

/// Dispatches the fold of a dense real, integer or bool tensor over the axes that are
/// `reduced`; the result is not empty.
void reduce(ir::ops::ReduceFunction function, const ir::TensorType& x, const std::vector<bool>& reduced,
            plan::Slot from, plan::Slot to, plan::Lowering& node);

}  // namespace plumb::gpu_vulkan::kernels::rows
