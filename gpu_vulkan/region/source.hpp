#pragma once

#include "gpu_vulkan/fused_ops/region.hpp"

namespace plumb::gpu_vulkan::region {

/// Whether a region may have this node as a step: its op, on operands and a result of these dtypes.
bool is_step(const ir::Op& op, const std::vector<ir::DType>& operands, ir::DType result);

/// How much code a step is, of which a kernel has nine copies: 1 for an addition.
std::size_t weight_of(const ir::Op& op, ir::DType operand);

/// The kernel of a region as GLSL: the same for all shapes.
std::string source_of(const fused_ops::Region& region, const std::vector<ir::DType>& inputs);

}  // namespace plumb::gpu_vulkan::region
