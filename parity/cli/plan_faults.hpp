#pragma once

#include "gpu_vulkan/device/options.hpp"
#include "parity/power/power.hpp"

namespace plumb::parity::cli {

/// The names of the faults that break_plans plants.
std::vector<std::string> plan_fault_names();

/// Breaks the Vulkan executor's plan of the whole graph, one fault at a time: barriers left out, memory shared, an
/// upload or a dispatch skipped, a specialization constant changed. Each broken plan runs on the device and is
/// judged as any run; caught is one of which a node fails or which ends in an error.
/// A plan that gives the bits of the unbroken one had no effect.
power::NodePower break_plans(const cases::Case& subject, const cases::Executors& executors,
                             gpu_vulkan::device::VulkanOptions options, const power::Options& chosen);

}  // namespace plumb::parity::cli
