#pragma once

#include <string_view>

#include "gpu_vulkan/device/device_facts.hpp"
#include "gpu_vulkan/runtime/driver/functions.hpp"

namespace plumb::gpu_vulkan::runtime::driver {

/// The use of every buffer.
inline constexpr VkBufferUsageFlags buffer_usage =
    VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;

/// Extensions that are used where a device offers them, and the validation layer of this version, if any, knows them.
std::vector<std::string_view> optional_extensions(std::uint32_t layer_version);

/// Name, kind, ids, versions and cache UUID of a device, whatever its version of Vulkan.
void read_identity(VkPhysicalDevice device, device::DeviceFacts& facts);

/// Limits, features and memory of a device with Vulkan 1.3.
void read_facts(VkPhysicalDevice device, device::DeviceFacts& facts);

/// The facts that come with the extensions that will be enabled.
void read_extension_facts(VkInstance instance, VkPhysicalDevice device, const std::vector<std::string>& extensions,
                          device::DeviceFacts& facts);

}  // namespace plumb::gpu_vulkan::runtime::driver
