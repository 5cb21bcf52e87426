#pragma once

#include "gpu_vulkan/lower.hpp"

namespace plumb::gpu_vulkan {

/// Dispatches the conversion of `count` elements, at least one, to another dtype, as the op cast.
void convert(ir::DType from_dtype, Slot from, ir::DType to_dtype, Slot to, std::int64_t count, Lowering& node);

}  // namespace plumb::gpu_vulkan
