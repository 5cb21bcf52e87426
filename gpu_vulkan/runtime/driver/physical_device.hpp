#pragma once

#include "gpu_vulkan/device/devices.hpp"
#include "gpu_vulkan/runtime/driver/functions.hpp"
#include "gpu_vulkan/runtime/driver/instance.hpp"

namespace plumb::gpu_vulkan::runtime::driver {

/// A device of the drivers, its facts, and how it is to be used.
struct PhysicalDevice {
  VkPhysicalDevice handle = VK_NULL_HANDLE;
  device::DeviceReport report;
  std::uint32_t queue_family = 0;          ///< the one with compute and the least else
  std::uint32_t timestamp_bits = 0;        ///< valid bits of that family's timestamps
  bool push_descriptors_are_core = false;  ///< from Vulkan 1.4, not from VK_KHR_push_descriptor
  std::vector<std::string> extensions;     ///< to enable

  bool enables(std::string_view extension) const;
};

std::vector<PhysicalDevice> physical_devices(const Instance& instance);

}  // namespace plumb::gpu_vulkan::runtime::driver
