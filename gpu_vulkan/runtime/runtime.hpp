#pragma once

#include <atomic>
#include <mutex>
#include <set>
#include <string>

#include "gpu_vulkan/device/options.hpp"
#include "gpu_vulkan/plan/schedule.hpp"
#include "gpu_vulkan/runtime/driver/instance.hpp"
#include "gpu_vulkan/runtime/pipelines.hpp"
#include "gpu_vulkan/runtime/timeline.hpp"
#include "gpu_vulkan/runtime/transfers.hpp"

namespace plumb::gpu_vulkan::runtime {

/// The state that an executor shares with everything it compiled, in any thread. Members die from the last to the
/// first.
struct Runtime {
  explicit Runtime(const device::VulkanOptions& options);

  /// Whoever finds the device lost says how, in any thread; from then on it is refused everywhere.
  void lose(std::string how);
  /// Throws DeviceError where the device was lost.
  void require_alive() const;

  driver::Instance instance;
  driver::Device device;
  Pipelines pipelines;
  Timeline timeline;
  Submitter submitter;
  Transfers transfers;
  std::atomic<bool> silent = false;  ///< a run did not end in the time that it got after its own, either
  std::set<plan::CooperativeKernel> right_kernels = {};  ///< that passed their self-test; of who compiles

 private:
  mutable std::mutex losing_;
  std::string lost_;  ///< how; empty while it lives
};

}  // namespace plumb::gpu_vulkan::runtime
