#pragma once

#include "gpu_vulkan/device/options.hpp"

namespace plumb::bench {

/// Prints, in microseconds, what the parts of a small run take on a device: submits of nothing, of barriers and of
/// kernels, and the ways in which the host learns that one has ended. `least_runs` of each are timed.
void print_submits(gpu_vulkan::device::VulkanOptions options, std::size_t least_runs);

}  // namespace plumb::bench
