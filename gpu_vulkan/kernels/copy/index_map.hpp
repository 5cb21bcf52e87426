#pragma once

#include "gpu_vulkan/plan/lower.hpp"
#include "ir/kernels/index_map.hpp"

namespace plumb::gpu_vulkan::kernels::copy {

/// Makes output 0 of input 0, filled with input 1 where there is one, else with zero
/// bytes: an alias when nothing moves.
void index_map(const ir::kernels::IndexMap& map, plan::Lowering& node);

}  // namespace plumb::gpu_vulkan::kernels::copy
