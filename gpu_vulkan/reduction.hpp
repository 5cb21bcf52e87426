#pragma once

#include "gpu_vulkan/lower.hpp"
#include "ir/ops/reduce.hpp"

namespace plumb::gpu_vulkan {

/// Dispatches the fold of a dense real, integer or bool tensor over the axes that are
/// `reduced`; the result is not empty.
void reduce(ir::ops::ReduceFunction function, const ir::TensorType& x, const std::vector<bool>& reduced, Slot from,
            Slot to, Lowering& node);

}  // namespace plumb::gpu_vulkan
