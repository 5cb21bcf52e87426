// The flags that choose a device and set its knobs, shared by all commands that run one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpu_vulkan/device/options.hpp"
#include "parity/cases/identity.hpp"

namespace CLI {
class App;
}

namespace plumb::gpu_vulkan {
class VulkanExecutor;
}

namespace plumb::parity::cli::flags {

/// The flags that choose a device and set its knobs, the same in every command.
/// A knob without a flag is as the environment has it (PLUMB_NAME), else the default.
struct DeviceFlags {
  std::string device;
  bool validation = false, poison = false, lifetimes = false, redzone = false, no_fuse = false;
  std::vector<std::string> settings;  ///< "name=value", for every knob of `plumb options`
  int threads = 0;
};

void add_device_flags(CLI::App& app, DeviceFlags& flags);

/// The executor's options with flags applied. Nodes that the device cannot run fall back to the host unless a setting
/// forbids it; stderr says when cooperative matrices failed their self-test. Throws Error for an unknown knob.
gpu_vulkan::device::VulkanOptions vulkan_options(const DeviceFlags& flags);

/// The settings of a run by these options: those that are not as they are without flags and environment.
cases::RunSettings run_settings(const gpu_vulkan::device::VulkanOptions& options);

/// sha256 of what was measured of a device and decides on its tiles; "" where nothing was.
std::string calibration_of(const gpu_vulkan::VulkanExecutor& device);

/// Options that make the same runs in any environment: where there is a calibration, its file is named.
gpu_vulkan::device::VulkanOptions options_to_repeat(const gpu_vulkan::VulkanExecutor& device);

/// The flags that make such options: " --device cpu --no-fuse --set tile=64x64x16".
std::string repeated(const gpu_vulkan::device::VulkanOptions& options);

}  // namespace plumb::parity::cli::flags
