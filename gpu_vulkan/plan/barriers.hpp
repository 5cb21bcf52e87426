#pragma once

#include "gpu_vulkan/plan/pack.hpp"

namespace plumb::gpu_vulkan::plan {

/// For each dispatch, whether it must wait for those since the last barrier: it reads
/// or writes bytes they wrote, or writes bytes they read. By bytes and not by slots, so
/// that slots which share memory are kept apart too.
std::vector<bool> barriers(const Schedule& schedule, const ArenaLayout& layout);

}  // namespace plumb::gpu_vulkan::plan
