#pragma once

// The machine as results files and profiles describe it.

#include <string>

#include "gpu_vulkan/device/device_facts.hpp"
#include "parity/profile/device.hpp"

namespace plumb::library {

/// A device as results files describe it.
parity::profile::Device describe(const gpu_vulkan::device::DeviceFacts& facts);

/// The name of this machine's processor by /proc/cpuinfo; empty where that has none.
std::string cpu_name();

/// This machine and the libraries of the CPU executor.
parity::profile::Environment describe_host(int threads);

}  // namespace plumb::library
