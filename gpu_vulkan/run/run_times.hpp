#pragma once

#include <cstdint>
#include <optional>

#include "ir/executor.hpp"

namespace plumb::gpu_vulkan::run {

/// Where the time of a run went, in nanoseconds.
struct RunTimes {
  std::uint64_t upload = 0, submit = 0, wait = 0, download = 0;  ///< on the host
  std::optional<std::uint64_t> device;  ///< from the first kernel's start to the last one's end, where it was measured
};

/// Those of the last run of what a VulkanExecutor compiled; nothing of other executables.
std::optional<RunTimes> run_times(const ir::Executable& executable);

}  // namespace plumb::gpu_vulkan::run
