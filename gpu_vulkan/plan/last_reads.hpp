#pragma once

#include "gpu_vulkan/plan/plan.hpp"

namespace plumb::gpu_vulkan::plan {

/// By dispatch, the slots that nobody reads behind it: by what the nodes of the planned graph read, which is not what
/// their dispatches say of themselves. Scratch slots, which no node knows, end with the last dispatch that names them.
/// Slots that the host reads after the dispatch, and those that are uploaded once, are in no list.
std::vector<std::vector<Slot>> last_reads(const Plan& plan, const ir::Graph& graph);

}  // namespace plumb::gpu_vulkan::plan
