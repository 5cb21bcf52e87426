#pragma once

#include <array>
#include <functional>
#include <optional>
#include <set>

#include "gpu_vulkan/plan.hpp"

namespace plumb::gpu_vulkan {

/// Kernels by cooperative matrices that are tested together, before a plan first runs one of them: some software
/// devices take a minute to compile a family.
enum class CooperativeFamily { products, products_in_f16, convolutions, attention };

constexpr auto enum_names(CooperativeFamily) {
  return std::array<std::string_view, 4>{"products", "products-in-f16", "convolutions", "attention"};
}

/// The family of a module that declares cooperative matrices; nothing for another module.
std::optional<CooperativeFamily> cooperative_family(std::string_view shader);

/// Those that a plan runs.
std::set<CooperativeFamily> cooperative_families(const Plan& plan);

/// Runs a graph on the device whose first result comes back, by a tile of products where one is named.
using RunOnDevice = std::function<ir::Tensor(const ir::Graph& graph, const ir::Feeds& feeds, const std::string& tile)>;

/// What a family gets wrong on a device, in words for people; empty when it does as it should: products and
/// convolutions of whole numbers that nothing rounds, by every tile, and attentions whose every query finds one key.
std::string self_test(const DeviceFacts& facts, const RunOnDevice& run, CooperativeFamily family);

/// The same, run once for a device, its driver and these shaders: what it came to is kept in the folder that
/// VulkanOptions::pipeline_cache names, or in this process where there is none.
std::string self_test_once(const DeviceFacts& facts, std::string_view cache_option, const RunOnDevice& run,
                           CooperativeFamily family);

}  // namespace plumb::gpu_vulkan
