#pragma once

#include <filesystem>
#include <functional>
#include <set>
#include <string>

#include "gpu_vulkan/plan/plan.hpp"

// Kernels by cooperative matrices have to give right results on a device before a plan first runs them there: a driver
// may be new, and nothing else would tell. They are tested by kernel and tile (plan::CooperativeKernel), since
// some software devices take seconds to compile each. One that fails speaks against all of the device's.
namespace plumb::gpu_vulkan::self_test {

using CooperativeKernels = std::set<plan::CooperativeKernel>;

/// Those that a plan runs. Throws Error for a module with cooperative matrices that does not say what it computes.
CooperativeKernels cooperative_kernels(const plan::Plan& plan);

/// Whether a module of this name has them, by what its SPIR-V declares.
bool has_cooperative_matrices(std::string_view module);

/// Runs `graph` on the device with the named tile, if one is named; returns the graph's first result.
using RunOnDevice = std::function<ir::Tensor(const ir::Graph& graph, const ir::Feeds& feeds, const std::string& tile)>;

/// The fault of a tile on a device, in words for people; empty where it passes. The tests are products and convolutions
/// of whole numbers that nothing rounds, and attentions whose every query finds one key. A tile that no test would run
/// has a fault, too.
std::string self_test(const device::DeviceFacts& facts, const plan::PlanOptions& options, const RunOnDevice& run,
                      const plan::CooperativeKernel& kernel);

/// The first fault that there is or was among all tiles of the device; empty where there is none. Those of `kernels`
/// without an outcome are tested, by one process at a time. Outcomes are kept, for a device, its driver and
/// these shaders: in the folder that VulkanOptions::pipeline_cache names, or in this process where it cannot be.
std::string self_test_once(const device::DeviceFacts& facts, const plan::PlanOptions& options,
                           std::string_view cache_option, const RunOnDevice& run, const CooperativeKernels& kernels);

/// The first fault that earlier tests of this device found, if any; nothing is tested now.
std::string kept_doubt(const device::DeviceFacts& facts, std::string_view cache_option);

/// The file where outcomes are kept.
std::filesystem::path self_test_file(const device::DeviceFacts& facts, const std::filesystem::path& folder);

}  // namespace plumb::gpu_vulkan::self_test
