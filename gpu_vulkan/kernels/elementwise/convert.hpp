#pragma once

#include "gpu_vulkan/plan/lower.hpp"

namespace plumb::gpu_vulkan::kernels::elementwise {

/// Dispatches the conversion of `count` elements, at least one, to another dtype, as the op cast.
void convert(ir::DType from_dtype, plan::Slot from, ir::DType to_dtype, plan::Slot to, std::int64_t count,
             plan::Lowering& node);

}  // namespace plumb::gpu_vulkan::kernels::elementwise
