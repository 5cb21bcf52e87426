// Opens the chosen device, with the instance, pipelines and timeline that everything compiled for it shares.
#include "gpu_vulkan/runtime/runtime.hpp"

#include <algorithm>

namespace plumb::gpu_vulkan::runtime {
namespace {

driver::PhysicalDevice chosen(const driver::Instance& instance, const device::VulkanOptions& options) {
  const auto devices = driver::physical_devices(instance);
  std::vector<device::DeviceReport> reports;
  for (const auto& device : devices) reports.push_back(device.report);
  driver::PhysicalDevice device = devices.at(device::choose_device(reports, options.device));
  device::DeviceFacts& facts = device.report.facts;
  if (options.max_buffer != 0)
    facts.max_allocation = std::min(facts.max_allocation, static_cast<std::uint64_t>(options.max_buffer));
  return device;
}

}  // namespace

Runtime::Runtime(const device::VulkanOptions& options)
    : instance(options.validation),
      device(chosen(instance, options)),
      pipelines(device, options.pipeline_cache),
      timeline(device),
      submitter(device, timeline),
      transfers(device, timeline, submitter) {}

void Runtime::lose(std::string how) {
  const std::scoped_lock held(losing_);
  if (lost_.empty()) lost_ = std::move(how);
}

void Runtime::require_alive() const {
  const std::scoped_lock held(losing_);
  if (!lost_.empty()) throw ir::DeviceError(ir::cat(device.facts().name, " was lost before: ", lost_));
}

}  // namespace plumb::gpu_vulkan::runtime
