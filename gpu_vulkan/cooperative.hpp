#pragma once

#include "gpu_vulkan/lower.hpp"

namespace plumb::gpu_vulkan {

/// The largest shape of f16 products that the device sums in f32; null when there is none.
const CooperativeShape* f16_shape(const DeviceFacts& facts);

/// Why products of such operands do not run by cooperative matrices summed in f32; nothing when they may.
std::optional<std::string> refuse_cooperative_matrices(ir::DType operands, const DeviceFacts& facts);

}  // namespace plumb::gpu_vulkan
