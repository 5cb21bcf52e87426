#pragma once

#include <vulkan/vulkan.h>

#include <string_view>

#include "gpu_vulkan/device_facts.hpp"

namespace plumb::gpu_vulkan {

/// Extensions that are used where a device offers them.
std::vector<std::string_view> optional_extensions();

/// What every device says of itself, whatever its version.
void read_identity(VkPhysicalDevice device, DeviceFacts& facts);

/// Limits, features and memory of a device with Vulkan 1.3.
void read_facts(VkPhysicalDevice device, DeviceFacts& facts);

/// What comes with the extensions that will be enabled.
void read_extension_facts(VkInstance instance, VkPhysicalDevice device, const std::vector<std::string>& extensions,
                          DeviceFacts& facts);

}  // namespace plumb::gpu_vulkan
