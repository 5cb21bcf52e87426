#pragma once

#include <chrono>

#include "gpu_vulkan/runtime/device.hpp"

namespace plumb::gpu_vulkan {

/// Submits command buffers one after the other: each waits for the one before.
class Timeline {
 public:
  explicit Timeline(const Device& device);

  void submit(VkCommandBuffer commands);

  /// Waits until everything that was submitted is done. Throws DeviceError when the
  /// device is lost, or does not answer in time.
  void wait(std::chrono::duration<double> timeout);

  /// Whether the device may still be using what was submitted.
  bool busy() const { return busy_; }

 private:
  const Device& device_;
  Semaphore semaphore_;
  std::uint64_t submitted_ = 0;
  bool busy_ = false;
};

}  // namespace plumb::gpu_vulkan
