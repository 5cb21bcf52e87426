#pragma once

#include "gpu_vulkan/plan/lower.hpp"

namespace plumb::gpu_vulkan::kernels::rows {

/// The dispatches of softmax or log_softmax (glsl/softmax.glsl) along an axis.
void lower_softmax(std::string_view name, std::int64_t axis, plan::Lowering& node);

}  // namespace plumb::gpu_vulkan::kernels::rows
