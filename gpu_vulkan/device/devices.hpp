#pragma once

#include "gpu_vulkan/device/device_facts.hpp"

namespace plumb::gpu_vulkan::device {

/// A device that the drivers offer. One that is refused has only the facts that could
/// be read.
struct DeviceReport {
  DeviceFacts facts;
  std::string refusal;  ///< why plumbline cannot use it; empty when it can
};

/// Which of the devices `selector` means: an index, a UUID, a name (* and ? match any
/// characters and one), "cpu" for the first software device, "" for the best. Throws
/// Unsupported, with the refusals, when there is none that can be used, and Error when the selector names none of them.
std::size_t choose_device(const std::vector<DeviceReport>& devices, std::string_view selector);

/// "6d657361-3236-2e31-2e36-2d317e627000"
std::string uuid_text(const std::array<std::uint8_t, 16>& uuid);

}  // namespace plumb::gpu_vulkan::device
