#pragma once

#include <list>
#include <mutex>

#include "gpu_vulkan/runtime/device_buffer.hpp"
#include "gpu_vulkan/runtime/submitter.hpp"
#include "ir/residency.hpp"

namespace plumb::gpu_vulkan::runtime {

/// Bytes of device memory, and what stands for it in Uses.
struct Target {
  VkBuffer buffer;
  const void* memory;
};

/// Moves parts of device memory, in the order of the calls and of what else the submitter submits. Threads take turns.
class Transfers {
 public:
  Transfers(const driver::Device& device, Timeline& timeline, Submitter& submitter);

  /// `dense` is a box of the tensor at `to`, of these stretches. Returns the last submit's number.
  std::uint64_t upload(Target to, std::span<const std::byte> dense, std::span<const ir::Stretch> box);
  /// `dense` becomes the box of the tensor at `from`. Waits for the bytes.
  void download(Target from, std::span<std::byte> dense, std::span<const ir::Stretch> box);
  std::uint64_t copy(Target from, Target to, std::span<const ir::Memory::Piece> pieces);
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

  enum class Direction { up, down };

  void find_regions(std::span<const ir::Stretch> box, std::size_t begin, std::size_t end, Direction direction);
  template <class Record>
  std::uint64_t submit(const void* read, const void* written, const Record& record);
  std::uint64_t submit_copies(Target from, Target to);
  void wait_for(std::uint64_t number);
  std::size_t make_room(Stage& stage, std::size_t bytes);

  const driver::Device& device_;
  Timeline& timeline_;
  Submitter& submitter_;
  driver::CommandPool pool_;
  std::mutex turns_;
  std::list<Recorded> recorded_;       ///< the longest ago first
  std::vector<VkBufferCopy> regions_;  ///< the next copy has them, so that no call allocates
  Stage up_{MemoryUse::upload}, down_{MemoryUse::readback};
};

}  // namespace plumb::gpu_vulkan::runtime
