#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <span>

#include "gpu_vulkan/runtime/driver/device.hpp"

namespace plumb::gpu_vulkan::runtime {

/// A later submit's number takes the place of an earlier one's, whichever thread comes first.
inline void raise(std::atomic<std::uint64_t>& number, std::uint64_t to) {
  std::uint64_t now = number;
  while (now < to && !number.compare_exchange_weak(now, to)) {
  }
}

/// The device's queue, to which any thread submits. Each submit has a number, from 1 on; waiting for one takes no lock.
class Timeline {
 public:
  explicit Timeline(const driver::Device& device);

  /// These commands start when all before have ended. The device does not wait for submits that are known to have:
  /// barriers of either have to make the writes of an earlier submit visible to a later one.
  std::uint64_t submit(VkCommandBuffer commands);

  /// These commands may run while earlier ones do, except where barriers keep them apart.
  std::uint64_t submit_beside(std::span<const VkCommandBuffer> commands);

  /// Waits until this submit and all before it are done. Throws DeviceError when the device is lost, or does not answer
  /// in time.
  void wait(std::uint64_t number, std::chrono::duration<double> timeout);

  /// As above, but false where that takes longer.
  bool wait_for(std::uint64_t number, std::chrono::duration<double> timeout);

  /// Whether this submit and all before it are done; 0 is. Throws DeviceError when the device is lost.
  bool reached(std::uint64_t number);

  /// Whether the device may still be using what was submitted.
  bool busy() const { return !is_lost_ && done_ < submitted_; }

 private:
  const driver::Device& device_;
  driver::Semaphore semaphore_;
  std::chrono::duration<double> spin_;  ///< time for which wait asks again and again before it sleeps
  std::mutex queue_;                    ///< for the length of a submit
  std::atomic<std::uint64_t> submitted_ = 0, done_ = 0;
  std::atomic<bool> is_lost_ = false;  ///< whatever was unfinished then stays so

  std::uint64_t submit_locked(std::span<const VkCommandBuffer> commands, bool waits);
  bool is_known_done(std::uint64_t number) const;
  void require(VkResult result, const char* what);
  bool reached_within(std::uint64_t number, std::chrono::duration<double> time);
};

}  // namespace plumb::gpu_vulkan::runtime
