#pragma once

#include <mutex>
#include <vector>

#include "gpu_vulkan/runtime/commands.hpp"
#include "gpu_vulkan/runtime/timeline.hpp"

namespace plumb::gpu_vulkan::runtime {

/// Memory that commands use, by any address that stands for it: in order, each once.
struct Uses {
  std::span<const void*const> reads = {}, writes = {};
};

/// Submits commands that say what memory they use: they run beside each other, except that one which uses what an
/// earlier one writes, or writes what it uses, begins with a barrier, unless the host has waited for that one. Any
/// thread may submit.
class Submitter {
 public:
  Submitter(const driver::Device& device, Timeline& timeline);

  /// Returns the submit's number in the timeline.
  std::uint64_t submit(const Commands& commands, const Uses& uses);

 private:
  void add(std::vector<const void*>& all, std::span<const void* const> more);

  Timeline& timeline_;
  driver::CommandPool pool_;
  Commands barrier_;
  std::mutex submitting_;                    ///< guards the rest, and keeps the order of the queue
  std::vector<const void*> read_, written_;  ///< since the last barrier, in order
  std::vector<const void*> joined_;          ///< for the next of these, so that no submit allocates
};

}  // namespace plumb::gpu_vulkan::runtime
