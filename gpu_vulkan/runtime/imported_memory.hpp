#pragma once

#include <span>
#include <string>

#include "gpu_vulkan/device/device_facts.hpp"

namespace plumb::gpu_vulkan::runtime {

/// Why a device cannot use this memory of the host's where it is; "" where its driver may be asked for it
/// (VK_EXT_external_memory_host).
std::string why_not_imported(const device::DeviceFacts& facts, std::span<const std::byte> memory);

}  // namespace plumb::gpu_vulkan::runtime
