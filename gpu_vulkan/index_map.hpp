#pragma once

#include "gpu_vulkan/lower.hpp"
#include "ir/index_map.hpp"

namespace plumb::gpu_vulkan {

/// Makes output 0 of input 0, filled with input 1 where there is one, else with zero
/// bytes: an alias when nothing moves.
void index_map(const ir::IndexMap& map, Lowering& node);

}  // namespace plumb::gpu_vulkan
