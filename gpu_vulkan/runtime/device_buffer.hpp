#pragma once

#include <span>

#include "gpu_vulkan/runtime/driver/device.hpp"

namespace plumb::gpu_vulkan::runtime {

/// The use of a buffer's memory.
enum class MemoryUse {
  device,         ///< shaders; the host cannot see it
  device_mapped,  ///< shaders, and the host writes it directly
  upload,         ///< the host writes, the device copies from it
  readback,       ///< the device copies into it, the host reads
};

/// A storage buffer with memory of its own or the host's, mapped as long as it lives where the host
/// may see it.
class DeviceBuffer {
 public:
  /// Throws DeviceError, with the size and what is held, when there is no memory left.
  DeviceBuffer(const driver::Device& device, std::size_t bytes, MemoryUse use, driver::Holder holder);
  /// Memory of the host's, which stays what it is to the host, and outlives this. Throws Unsupported, with the reason,
  /// where `why_not_imported` has one or the driver refuses it.
  DeviceBuffer(const driver::Device& device, std::span<std::byte> memory);

  VkBuffer get() const { return buffer_.get(); }
  std::size_t size() const { return size_; }
  /// Empty where the host cannot see it.
  std::span<std::byte> mapped() const { return mapped_; }

 private:
  driver::Ledger::Entry entry_;
  driver::Memory memory_;  // after the buffer in death
  driver::Buffer buffer_;
  std::size_t size_;
  std::span<std::byte> mapped_;
};

/// Bytes of several buffers.
inline std::uint64_t bytes_of(std::span<const DeviceBuffer> buffers) {
  std::uint64_t bytes = 0;
  for (const DeviceBuffer& buffer : buffers) bytes += buffer.size();
  return bytes;
}

}  // namespace plumb::gpu_vulkan::runtime
