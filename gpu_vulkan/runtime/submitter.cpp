// Finds the submits that need a barrier, by the memory they use since the last one.
#include "gpu_vulkan/runtime/submitter.hpp"

#include <algorithm>

namespace plumb::gpu_vulkan::runtime {

Submitter::Submitter(const driver::Device& device, Timeline& timeline)
    : timeline_(timeline),
      pool_(make_command_pool(device)),
      barrier_(device, pool_.get(), VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT) {
  constexpr Access all = Access::transfer | Access::shader;
  barrier_.barrier(all, all);
  barrier_.end();
}

std::uint64_t Submitter::submit(const Commands& commands, const Uses& uses) {
  if (!timeline_.busy()) {  // The host has seen the end of all before.
    read_.clear();
    written_.clear();
  }
  const auto is_read = [&](const void* memory) { return read_.contains(memory); };
  const auto is_written = [&](const void* memory) { return written_.contains(memory); };
  const bool waits = std::ranges::any_of(uses.reads, is_written) || std::ranges::any_of(uses.writes, is_written) ||
                     std::ranges::any_of(uses.writes, is_read);
  if (waits) {
    ++barriers_;
    read_.clear();
    written_.clear();
  }
  read_.insert(uses.reads.begin(), uses.reads.end());
  written_.insert(uses.writes.begin(), uses.writes.end());
  const std::array<VkCommandBuffer, 2> both{barrier_.get(), commands.get()};
  return timeline_.submit_beside(std::span(both).subspan(waits ? 0 : 1));
}

}  // namespace plumb::gpu_vulkan::runtime
