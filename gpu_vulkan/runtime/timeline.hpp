#pragma once

#include <chrono>

#include "gpu_vulkan/runtime/driver/device.hpp"

namespace plumb::gpu_vulkan::runtime {

/// Submits command buffers one after the other: each starts when the one before has ended.
class Timeline {
 public:
  explicit Timeline(const driver::Device& device);

  /// The device does not wait for submits that are known to have ended: barriers of either have to
  /// make the writes of an earlier submit visible to a later one.
  void submit(VkCommandBuffer commands);

  /// Waits until everything that was submitted is done. Throws DeviceError when the
  /// device is lost, or does not answer in time.
  void wait(std::chrono::duration<double> timeout);

  /// Whether the device may still be using what was submitted.
  bool busy() const { return busy_; }

 private:
  const driver::Device& device_;
  driver::Semaphore semaphore_;
  std::chrono::duration<double> spin_;  ///< time for which wait asks again and again before it sleeps
  std::uint64_t submitted_ = 0;
  bool busy_ = false;

  bool reached_within(std::chrono::duration<double> time);
};

}  // namespace plumb::gpu_vulkan::runtime
