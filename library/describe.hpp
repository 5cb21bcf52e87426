#pragma once

// The machine as results files and profiles describe it.

#include "gpu_vulkan/device/device_facts.hpp"
#include "parity/profile/device.hpp"

namespace plumb::library {

/// A device as results files describe it.
parity::profile::Device describe(const gpu_vulkan::device::DeviceFacts& facts);

/// This machine and the libraries of the CPU executor.
parity::profile::Environment describe_host(int threads);

}  // namespace plumb::library
