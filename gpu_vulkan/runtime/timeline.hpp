#pragma once

#include <atomic>
#include <chrono>
#include <span>

#include "gpu_vulkan/runtime/driver/device.hpp"

namespace plumb::gpu_vulkan::runtime {

/// Submits command buffers one after the other: each starts when the one before has ended.
class Timeline {
 public:
  explicit Timeline(const driver::Device& device);

  /// The device does not wait for submits that are known to have ended: barriers of either have to
  /// make the writes of an earlier submit visible to a later one.
  void submit(VkCommandBuffer commands);

  /// As above, but these commands may run while earlier ones do, except where barriers keep them apart. Returns the
  /// submit's number, from 1 on.
  std::uint64_t submit_beside(std::span<const VkCommandBuffer> commands);

  /// Waits until everything that was submitted is done. Throws DeviceError when the
  /// device is lost, or does not answer in time.
  void wait(std::chrono::duration<double> timeout);

  /// Waits until this submit and all before it are done; false where that takes longer. Throws DeviceError when the
  /// device is lost.
  bool wait_for(std::uint64_t number, std::chrono::duration<double> timeout);

  /// Whether this submit and all before it are done; 0 is. Throws DeviceError when the device is lost.
  bool reached(std::uint64_t number);

  /// Whether the device may still be using what was submitted.
  bool busy() const { return !is_lost_ && done_ < submitted_; }

 private:
  const driver::Device& device_;
  driver::Semaphore semaphore_;
  std::chrono::duration<double> spin_;  ///< time for which wait asks again and again before it sleeps
  std::uint64_t submitted_ = 0;
  std::atomic<std::uint64_t> done_ = 0;  ///< fences are asked by any thread
  std::atomic<bool> is_lost_ = false;    ///< whatever was unfinished then stays so

  std::uint64_t submit(std::span<const VkCommandBuffer> commands, bool waits);
  bool is_known_done(std::uint64_t number) const;
  void require(VkResult result, const char* what);
  bool reached_within(std::uint64_t number, std::chrono::duration<double> time);
};

}  // namespace plumb::gpu_vulkan::runtime
