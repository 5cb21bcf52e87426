#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "gpu_vulkan/device/calibration.hpp"
#include "gpu_vulkan/device/device_facts.hpp"

namespace plumb::gpu_vulkan::cache {

/// A calibration as lines of words (docs/calibration.md), with the device and the driver it is of.
std::string to_text(const device::Calibration& calibration, const device::DeviceFacts& facts);

/// The calibration of a text. Throws Error "FILE:LINE: why" where it is none, or not of this device, driver and
/// version of plumbline.
device::Calibration calibration_of(std::string_view text, std::string_view file, const device::DeviceFacts& facts);

/// Where a device's calibration is kept: a file that VulkanOptions::calibration names, or the one in the cache. Empty
/// when that says off.
std::filesystem::path calibration_path(std::string_view option, const device::DeviceFacts& facts);

/// The calibration that a device is to be used with. Throws Error for a file that the option names and that is not
/// there or not right; one in the cache counts as absent then.
device::Calibration load_calibration(std::string_view option, const device::DeviceFacts& facts);

/// Throws Error when the file cannot be written.
void store_calibration(const std::filesystem::path& path, const device::Calibration& calibration,
                       const device::DeviceFacts& facts);

}  // namespace plumb::gpu_vulkan::cache
