#pragma once

#include <vulkan/vulkan.h>

#include <string_view>

#include "gpu_vulkan/device/device_facts.hpp"

namespace plumb::gpu_vulkan::runtime::driver {

/// Extensions that are used where a device offers them, and the validation layer of this version, if any, knows them.
std::vector<std::string_view> optional_extensions(std::uint32_t layer_version);

/// What every device says of itself, whatever its version.
void read_identity(VkPhysicalDevice device, device::DeviceFacts& facts);

/// Limits, features and memory of a device with Vulkan 1.3.
void read_facts(VkPhysicalDevice device, device::DeviceFacts& facts);

/// What comes with the extensions that will be enabled.
void read_extension_facts(VkInstance instance, VkPhysicalDevice device, const std::vector<std::string>& extensions,
                          device::DeviceFacts& facts);

}  // namespace plumb::gpu_vulkan::runtime::driver
