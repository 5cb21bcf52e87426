// Finds the submits that need a barrier, by the memory they use since the last one.
#include "gpu_vulkan/runtime/submitter.hpp"

#include <algorithm>
#include <bit>
#include <iterator>

namespace plumb::gpu_vulkan::runtime {
namespace {

bool meet(std::span<const void* const> a, std::span<const void* const> b) {
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    if (*i == *j) return true;
    ++(std::less<>()(*i, *j) ? i : j);
  }
  return false;
}

}  // namespace

Submitter::Submitter(const driver::Device& device, Timeline& timeline)
    : timeline_(timeline),
      pool_(make_command_pool(device)),
      barrier_(device, pool_.get(), VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT) {
  constexpr Access all = Access::transfer | Access::shader;
  barrier_.barrier(all, all);
  barrier_.end();
}

/// The three change places, so that all get room.
void Submitter::add(std::vector<const void*>& all, std::span<const void* const> more) {
  const std::size_t most = std::bit_ceil(all.size() + more.size());
  for (auto* const one : {&read_, &written_, &joined_}) one->reserve(most);
  joined_.clear();
  std::ranges::set_union(all, more, std::back_inserter(joined_));
  all.swap(joined_);
}

std::uint64_t Submitter::submit(const Commands& commands, const Uses& uses) {
  const std::scoped_lock held(submitting_);
  if (!timeline_.busy()) {  // The host has seen the end of all before.
    read_.clear();
    written_.clear();
  }
  const bool waits = meet(uses.reads, written_) || meet(uses.writes, written_) || meet(uses.writes, read_);
  if (waits) {
    read_.clear();
    written_.clear();
  }
  add(read_, uses.reads);
  add(written_, uses.writes);
  const std::array<VkCommandBuffer, 2> both{barrier_.get(), commands.get()};
  return timeline_.submit_beside(std::span(both).subspan(waits ? 0 : 1));
}

}  // namespace plumb::gpu_vulkan::runtime
