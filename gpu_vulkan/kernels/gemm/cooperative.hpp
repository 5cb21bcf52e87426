#pragma once

#include "gpu_vulkan/plan/lower.hpp"

namespace plumb::gpu_vulkan::kernels::gemm {

/// The largest shape of products of such operands that the device sums in f32; null when there is none.
const device::CooperativeShape* shape_summed_in_f32(ir::DType operands, const device::DeviceFacts& facts);
/// The largest shape of products of f16 that the device sums in f16; null when there is none.
const device::CooperativeShape* shape_summed_in_f16(const device::DeviceFacts& facts);

/// The shape by which a kernel multiplies f16 or bf16 and sums in f32, or why it uses no cooperative matrices.
plan::Or<device::CooperativeShape> usable_shape(ir::DType operands, const plan::Lowering& node);

}  // namespace plumb::gpu_vulkan::kernels::gemm
