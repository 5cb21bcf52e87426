#pragma once

// Who is judged by a check: our device, or another.

#include <memory>
#include <string>

#include "gpu_vulkan/vulkan_executor.hpp"
#include "parity/cli/flags/candidate_flags.hpp"
#include "parity/cli/flags/device_flags.hpp"

namespace plumb::parity::cli {

struct Judged {
  flags::DeviceFlags device_flags;  ///< with the device that --candidate names
  std::unique_ptr<gpu_vulkan::VulkanExecutor> device = {};
  library::OpenedCandidate other = {};

  /// Opens it. Throws Error where it cannot be opened, or computes nothing, and Unsupported where there is no device.
  Judged(const flags::CandidateFlags& candidate, const flags::DeviceFlags& flags);

  ir::Executor& executor() const { return device ? *device : *other.executor; }

  cases::Executors executors(ir::Executor& reference) const { return library::executors_of(reference, executor()); }

  /// The end of a repro line: who is judged, and on which device.
  std::string repeated(const flags::CandidateFlags& candidate) const;
};

}  // namespace plumb::parity::cli
