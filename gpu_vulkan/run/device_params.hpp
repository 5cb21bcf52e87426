#pragma once

#include <map>

#include "gpu_vulkan/plan/plan.hpp"
#include "gpu_vulkan/run/device_memory.hpp"

namespace plumb::gpu_vulkan::run {

/// Params that several executables of one executor read where they are.
class DeviceParams final : public ir::Params {
 public:
  DeviceParams(const std::shared_ptr<runtime::Runtime>& runtime, ir::Feeds feeds, device::Staging staging);

  ir::Buffer buffer(std::string_view name) const override;

  /// As the passes read them.
  const ir::Feeds& feeds() const { return feeds_; }
  const std::shared_ptr<DeviceMemory>& memory(std::string_view name) const;
  const runtime::Runtime* runtime() const { return runtime_; }

 private:
  void replace(std::string_view name, const ir::TensorView& value) override;

  const runtime::Runtime* runtime_;
  ir::Feeds feeds_;
  std::map<std::string, std::shared_ptr<DeviceMemory>, std::less<>> memories_;
};

/// By slot of a param that lies apart, where it is.
using HeldSlots = std::map<plan::Slot, std::shared_ptr<DeviceMemory>>;

/// The buffers of a plan that are uploaded once, for all runs of all its recordings. The runtime must outlive it.
class Residents {
 public:
  using Contents = std::vector<std::pair<plan::Slot, std::span<const std::byte>>>;

  /// `held` has all slots that lie apart.
  Residents(runtime::Runtime& runtime, const plan::Plan& plan, const device::VulkanOptions& options,
            const Contents& contents, HeldSlots held);

  VkBuffer buffer(std::size_t number) const { return buffers_.at(number).buffer; }
  /// Empty where the host does not see it.
  std::span<std::byte> mapped(std::size_t number) const { return buffers_.at(number).mapped; }
  const HeldSlots& held() const { return held_; }
  /// Bytes of its own buffers, and of params that nobody else holds.
  std::uint64_t bytes() const;

 private:
  struct View {
    VkBuffer buffer;
    std::span<std::byte> mapped;
  };

  std::vector<runtime::DeviceBuffer> own_;
  HeldSlots held_;
  std::vector<View> buffers_;  ///< by number in the arena
};

/// Whether runs reach device memory through the host's view of it.
bool writes_directly(const runtime::Runtime& runtime, const device::VulkanOptions& options);

}  // namespace plumb::gpu_vulkan::run
