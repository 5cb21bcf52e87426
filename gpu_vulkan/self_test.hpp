#pragma once

#include <functional>

#include "gpu_vulkan/plan.hpp"

namespace plumb::gpu_vulkan {

/// Whether a plan runs a module that declares cooperative matrices.
bool uses_cooperative_matrices(const Plan& plan);

/// Runs a graph on the device whose first result comes back, by a tile of products where one is named.
using RunOnDevice = std::function<ir::Tensor(const ir::Graph& graph, const ir::Feeds& feeds, const std::string& tile)>;

/// What a device's cooperative matrices get wrong, in words for people; empty when they do as they should: products and
/// convolutions of whole numbers that nothing rounds, by every tile, and an attention whose every query finds one key.
std::string self_test(const DeviceFacts& facts, const RunOnDevice& run);

/// The same, run once for a device, its driver and these shaders: what it came to is kept in the folder that
/// VulkanOptions::pipeline_cache names, or in this process where there is none.
std::string self_test_once(const DeviceFacts& facts, std::string_view cache_option, const RunOnDevice& run);

}  // namespace plumb::gpu_vulkan
