#include "gpu_vulkan/runtime/runtime.hpp"

#include <algorithm>

namespace plumb::gpu_vulkan {
namespace {

PhysicalDevice chosen(const Instance& instance, std::string_view selector, std::size_t max_buffer) {
  const auto devices = physical_devices(instance);
  std::vector<DeviceReport> reports;
  for (const auto& device : devices) reports.push_back(device.report);
  PhysicalDevice device = devices.at(choose_device(reports, selector));
  auto& limit = device.report.facts.max_allocation;
  if (max_buffer != 0) limit = std::min<std::uint64_t>(limit, max_buffer);
  return device;
}

}  // namespace

Runtime::Runtime(bool validation, std::string_view device_selector, std::string_view cache_folder,
                 std::size_t max_buffer)
    : instance(validation),
      device(chosen(instance, device_selector, max_buffer)),
      pipelines(device, cache_folder),
      timeline(device) {}

}  // namespace plumb::gpu_vulkan
