#pragma once

#include <chrono>
#include <cstdint>
#include <utility>

namespace plumb::gpu_vulkan::run {

/// Runs from the moment it is made.
class Stopwatch {
 public:
  /// Nanoseconds since the last lap, or since the beginning.
  std::uint64_t lap() {
    const auto before = std::exchange(start_, Clock::now());
    return static_cast<std::uint64_t>(std::chrono::nanoseconds(start_ - before).count());
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

}  // namespace plumb::gpu_vulkan::run
