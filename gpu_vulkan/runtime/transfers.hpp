#pragma once

#include <deque>
#include <functional>

#include "gpu_vulkan/runtime/device_buffer.hpp"
#include "gpu_vulkan/runtime/submitter.hpp"

namespace plumb::gpu_vulkan::runtime {

/// Bytes of device memory, and what stands for it in Uses.
struct Target {
  VkBuffer buffer;
  const void* memory;
};

/// Moves parts of device memory, in the order of the calls and of what else the submitter submits.
class Transfers {
 public:
  Transfers(const driver::Device& device, Timeline& timeline, Submitter& submitter);

  /// A region's source is in `dense`, in order and without gaps. Returns the last submit's number.
  std::uint64_t upload(Target to, std::span<const std::byte> dense, const std::vector<VkBufferCopy>& regions);
  /// A region's destination is in `dense`, likewise. Waits for the bytes.
  void download(Target from, std::span<std::byte> dense, const std::vector<VkBufferCopy>& regions);
  std::uint64_t copy(Target from, Target to, const std::vector<VkBufferCopy>& regions);
  std::uint64_t zero(Target to, std::size_t bytes);

 private:
  struct Recorded {
    Commands commands;
    std::uint64_t number;  ///< the last submit has it
  };
  /// Mapped memory that transfers take turns at.
  struct Stage {
    MemoryUse use;
    std::optional<DeviceBuffer> buffer = {};
    std::uint64_t number = 0;  ///< the last submit that uses it has it
  };

  std::uint64_t submit(const Uses& uses, const std::function<void(Commands&)>& record);
  std::uint64_t submit_copies(VkBuffer from, VkBuffer to, const Uses& uses, std::span<const VkBufferCopy> regions);
  void wait_for(std::uint64_t number);
  std::size_t make_room(Stage& stage, std::size_t bytes);

  const driver::Device& device_;
  Timeline& timeline_;
  Submitter& submitter_;
  driver::CommandPool pool_;
  std::deque<Recorded> recorded_;
  Stage up_{MemoryUse::upload}, down_{MemoryUse::readback};
};

}  // namespace plumb::gpu_vulkan::runtime
