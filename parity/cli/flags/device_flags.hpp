// The flags that choose a device and set its knobs, shared by all commands that run one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpu_vulkan/device/options.hpp"

namespace CLI {
class App;
}

namespace plumb::parity::cli::flags {

/// The flags that choose a device and set its knobs, the same in every command.
/// What a flag does not say, the environment does (PLUMB_NAME), else the default.
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

}  // namespace plumb::parity::cli::flags
