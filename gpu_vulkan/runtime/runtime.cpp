#include "gpu_vulkan/runtime/runtime.hpp"

#include <algorithm>

#include "gpu_vulkan/calibration_file.hpp"

namespace plumb::gpu_vulkan {
namespace {

PhysicalDevice chosen(const Instance& instance, const VulkanOptions& options) {
  const auto devices = physical_devices(instance);
  std::vector<DeviceReport> reports;
  for (const auto& device : devices) reports.push_back(device.report);
  PhysicalDevice device = devices.at(choose_device(reports, options.device));
  DeviceFacts& facts = device.report.facts;
  if (options.max_buffer != 0)
    facts.max_allocation = std::min(facts.max_allocation, static_cast<std::uint64_t>(options.max_buffer));
  facts.calibration = load_calibration(options.calibration, facts);
  facts.tile = options.tile;
  return device;
}

}  // namespace

Runtime::Runtime(const VulkanOptions& options)
    : instance(options.validation),
      device(chosen(instance, options)),
      pipelines(device, options.pipeline_cache),
      timeline(device) {}

}  // namespace plumb::gpu_vulkan
