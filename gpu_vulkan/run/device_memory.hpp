#pragma once

#include "gpu_vulkan/device/options.hpp"
#include "gpu_vulkan/runtime/runtime.hpp"
#include "ir/residency.hpp"

namespace plumb::gpu_vulkan::run {

/// Whose memory a device uses: its own, or the host's, which the host reads at once and kernels only write.
enum class Side { device, host };

/// One tensor's memory on a device, which it keeps open. Where the host sees all device memory, and staging is not
/// asked for, the host reads and writes it there. It outlives the runs that use it. Any number of threads may run what
/// reads it; one that writes it, and those who use what it wrote, see to the order of their calls.
class DeviceMemory final : public ir::Memory {
 public:
  /// Zeros.
  DeviceMemory(std::shared_ptr<runtime::Runtime> runtime, std::size_t bytes, device::Staging staging,
               runtime::driver::Holder holder, Side side = Side::device);
  /// Memory of the host's, which `owner` keeps. Throws Unsupported, with the reason, where the device cannot use it.
  DeviceMemory(std::shared_ptr<runtime::Runtime> runtime, std::span<std::byte> memory, std::shared_ptr<void> owner);
  ~DeviceMemory() override;

  const void* place() const override { return runtime_.get(); }
  std::string refusal() const override { return refusal_; }
  std::span<std::byte> mapped() override;
  void write(std::span<const std::byte> dense, const std::vector<ir::Stretch>& to) override;
  void read(std::span<std::byte> dense, const std::vector<ir::Stretch>& from) override;
  void copy(ir::Memory& from, const std::vector<Piece>& pieces) override;

  /// Nobody writes here any more, and why.
  void refuse(std::string why) { refusal_ = std::move(why); }

  VkBuffer get() const { return buffer_->get(); }
  std::size_t bytes() const { return bytes_; }
  /// Where the host writes what the device will read: nothing where it does not see the memory.
  std::span<std::byte> host_view() const { return buffer_->mapped().first(buffer_->mapped().empty() ? 0 : bytes_); }
  /// The submit of this number uses it.
  void used_by(std::uint64_t number, bool is_written);
  /// Waits for the submits that use it.
  void wait_until_unused();

 private:
  runtime::Target target() const { return {buffer_->get(), this}; }

  std::shared_ptr<runtime::Runtime> runtime_;
  std::shared_ptr<void> owner_;  ///< where the memory is the host's
  std::size_t bytes_;
  bool is_read_in_place_ = false;
  std::unique_ptr<runtime::DeviceBuffer> buffer_;
  std::atomic<std::uint64_t> used_ = 0, written_ = 0;  ///< the last submits
  std::string refusal_;
};

/// Memory of the same device as something that has its `place`.
DeviceMemory& on_device(const std::shared_ptr<ir::Memory>& memory);

}  // namespace plumb::gpu_vulkan::run
