#pragma once

#include <span>

#include "gpu_vulkan/runtime/driver/device.hpp"
#include "gpu_vulkan/runtime/pipelines.hpp"

namespace plumb::gpu_vulkan::runtime {

/// Part of a buffer.
struct BufferRange {
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceSize offset = 0, bytes = 0;
};

/// Who wrote, or who may not go on before what was written is seen.
enum class Access : unsigned { host = 1, transfer = 2, shader = 4 };
constexpr Access operator|(Access a, Access b) {
  return static_cast<Access>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}

/// One command buffer: recorded once, submitted many times.
class Commands {
 public:
  /// `usage`: VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT lets a submit begin before an earlier one has ended.
  Commands(const driver::Device& device, VkCommandPool pool, VkCommandBufferUsageFlags usage = 0);
  /// Forgets all commands. The pool must allow it.
  void begin_again();
  /// No more commands come.
  void end();

  VkCommandBuffer get() const { return commands_; }

  void barrier(Access from, Access to);
  void fill(const BufferRange& range, std::uint32_t word);
  /// The source's bytes, to where the destination starts.
  void copy(const BufferRange& source, const BufferRange& destination);
  void copy(VkBuffer source, VkBuffer destination, std::span<const VkBufferCopy> regions);
  void dispatch(const Pipeline& pipeline, std::span<const BufferRange> bindings, std::span<const std::byte> push,
                const std::array<std::uint32_t, 3>& groups);

  /// Writes the time at which everything before is done.
  void timestamp(VkQueryPool queries, std::uint32_t query);

 private:
  const driver::Device& device_;
  VkCommandBufferUsageFlags usage_;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
};

/// `flags`: VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT lets commands begin again.
driver::CommandPool make_command_pool(const driver::Device& device, VkCommandPoolCreateFlags flags = 0);

}  // namespace plumb::gpu_vulkan::runtime
