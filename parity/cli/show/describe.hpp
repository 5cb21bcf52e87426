#pragma once

#include <string>
#include <vector>

#include "gpu_vulkan/device/device_facts.hpp"
#include "parity/profile/device.hpp"

namespace plumb::parity::cli::show {

/// A device as results files describe it.
profile::Device describe(const gpu_vulkan::device::DeviceFacts& facts);

/// This machine and the libraries of the CPU executor.
profile::Environment describe_host(int threads);

/// Which plumbline this is and, where `verbose`, what it was built with and computes with, a line each.
std::string version_text(bool verbose);

/// The arguments of this process.
std::vector<std::string> command_line();

}  // namespace plumb::parity::cli::show
