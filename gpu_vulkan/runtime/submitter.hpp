#pragma once

#include <set>

#include "gpu_vulkan/runtime/commands.hpp"
#include "gpu_vulkan/runtime/timeline.hpp"

namespace plumb::gpu_vulkan::runtime {

/// Memory that commands use, by any address that stands for it.
struct Uses {
  std::vector<const void*> reads, writes;
};

/// Submits commands that say what memory they use: they run beside each other, except that one which uses what an
/// earlier one writes, or writes what it uses, begins with a barrier, unless the host has waited for that one.
class Submitter {
 public:
  Submitter(const driver::Device& device, Timeline& timeline);

  /// Returns the submit's number in the timeline.
  std::uint64_t submit(const Commands& commands, const Uses& uses);

  /// How many submits began with a barrier.
  std::uint64_t barriers() const { return barriers_; }

 private:
  Timeline& timeline_;
  driver::CommandPool pool_;
  Commands barrier_;
  std::set<const void*> read_, written_;  ///< since the last barrier
  std::uint64_t barriers_ = 0;
};

}  // namespace plumb::gpu_vulkan::runtime
