#pragma once

#include <atomic>
#include <mutex>
#include <thread>

#include "ir/error.hpp"

namespace plumb::gpu_vulkan::run {

/// Threads take turns. One that comes again within its own turn, as code that a node on the host calls may, or a task
/// that such a node's loop takes meanwhile, would wait for itself: that is an Error.
class Turns {
 public:
  class Turn {
   public:
    explicit Turn(Turns& of) : of_(of) {
      const auto self = std::this_thread::get_id();
      ir::require(of.whose_ != self, "an executable is used within its own run");
      of.lock_.lock();
      of.whose_ = self;
    }
    ~Turn() {
      of_.whose_ = std::thread::id();
      of_.lock_.unlock();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    Turns& of_;
  };

 private:
  std::mutex lock_;
  std::atomic<std::thread::id> whose_;
};

}  // namespace plumb::gpu_vulkan::run
