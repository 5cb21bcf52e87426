#pragma once

#include "gpu_vulkan/runtime/commands.hpp"
#include "gpu_vulkan/runtime/device_buffer.hpp"
#include "gpu_vulkan/runtime/timeline.hpp"

namespace plumb::gpu_vulkan::runtime {

/// Mapped places through which tensors pass on their way to the device or back, in as
/// many buffers as the device's limit asks for.
class StagingBuffers {
 public:
  StagingBuffers(const driver::Device& device, MemoryUse use, driver::Holder holder)
      : device_(device), use_(use), holder_(holder) {}

  /// Reserves a place; its number counts from 0.
  std::size_t reserve(std::size_t bytes);
  /// Makes the memory. There are no more places to come.
  void allocate();

  BufferRange range(std::size_t place) const;
  std::span<std::byte> bytes(std::size_t place) const;
  /// Bytes of all its buffers.
  std::uint64_t bytes() const { return bytes_of(buffers_); }

 private:
  struct Reserved {
    std::size_t buffer, offset, bytes;
  };

  const driver::Device& device_;
  MemoryUse use_;
  driver::Holder holder_;
  std::vector<Reserved> places_;
  std::vector<std::size_t> sizes_;  ///< by buffer
  std::vector<DeviceBuffer> buffers_;
};

/// Fills device memory once, through a small staging buffer that is used again and again.
class Uploader {
 public:
  Uploader(const driver::Device& device, Timeline& timeline);

  void upload(BufferRange to, std::span<const std::byte> bytes);
  void fill(const BufferRange& range, std::uint32_t word);
  /// Waits until everything is there. To be called at the end.
  void flush();

 private:
  const driver::Device& device_;
  Timeline& timeline_;
  DeviceBuffer staging_;
  driver::CommandPool pool_;
  std::size_t used_ = 0;
  std::vector<std::pair<BufferRange, BufferRange>> copies_;
};

}  // namespace plumb::gpu_vulkan::runtime
