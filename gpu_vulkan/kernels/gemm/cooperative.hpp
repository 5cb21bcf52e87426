#pragma once

#include "gpu_vulkan/plan/lower.hpp"

namespace plumb::gpu_vulkan::kernels::gemm {

/// The largest shape of products of such operands that the device sums in f32; null when there is none.
const device::CooperativeShape* shape_summed_in_f32(ir::DType operands, const device::DeviceFacts& facts);
/// The same of f16 summed in f16.
const device::CooperativeShape* shape_summed_in_f16(const device::DeviceFacts& facts);

/// Why products of f16 do not run by cooperative matrices summed in f32; nothing when they may.
std::optional<std::string> refuse_cooperative_matrices(ir::DType operands, const device::DeviceFacts& facts);

/// The same for a kernel that takes bf16, too.
std::optional<std::string> refuse_cooperative_16(ir::DType operands, const device::DeviceFacts& facts);

}  // namespace plumb::gpu_vulkan::kernels::gemm
