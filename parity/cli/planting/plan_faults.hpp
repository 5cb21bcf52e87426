#pragma once

#include <functional>

#include "gpu_vulkan/device/options.hpp"
#include "gpu_vulkan/plan/plan.hpp"
#include "parity/power/power.hpp"

namespace plumb::parity::cli {

/// A way to break the Vulkan executor's plan of a graph before it is recorded.
struct PlanFault {
  power::faults::Fault fault;
  std::function<bool(gpu_vulkan::plan::Plan& plan)> breaks;  ///< false where there is nothing to break
};

/// Shaders that are specialised as they should not be, a constant each: what they then compute is computed on the
/// device, by the code that computes everything else.
std::vector<PlanFault> shader_faults();

/// The names of the faults that break_plans plants.
std::vector<std::string> plan_fault_names();

/// Every one of them for people, one a line.
std::string plan_fault_list();

/// Breaks the Vulkan executor's plan of the whole graph, one fault at a time: barriers left out, memory shared, an
/// upload or a dispatch skipped, a specialization constant changed; and those of the plan alone that runs for the
/// results, beside a watched run that is right (verdict.md V4). Each broken plan runs on the device and is
/// judged as any run; caught is one of which a node fails, whose plain run differs, or which ends in an error.
/// A plan that gives the bits of the unbroken one had no effect.
power::NodePower break_plans(const cases::Case& subject, const cases::Executors& executors,
                             gpu_vulkan::device::VulkanOptions options, const power::Options& chosen);

}  // namespace plumb::parity::cli
