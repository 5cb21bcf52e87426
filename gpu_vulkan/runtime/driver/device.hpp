#pragma once

#include <memory>

#include "gpu_vulkan/runtime/driver/handle.hpp"
#include "gpu_vulkan/runtime/driver/ledger.hpp"
#include "gpu_vulkan/runtime/driver/physical_device.hpp"

namespace plumb::gpu_vulkan::runtime::driver {

/// A logical device and its compute queue, with everything on that its facts report.
class Device {
 public:
  explicit Device(const PhysicalDevice& physical);

  VkDevice get() const { return device_.get(); }
  VkQueue queue() const { return queue_; }
  std::uint32_t queue_family() const { return queue_family_; }
  const device::DeviceFacts& facts() const { return facts_; }
  /// Who holds its memory.
  const Ledger& ledger() const { return ledger_; }
  /// The bits of a timestamp that count.
  std::uint64_t timestamp_mask() const { return timestamp_mask_; }
  PFN_vkCmdPushDescriptorSetKHR push_descriptors() const { return push_descriptors_; }
  /// Null unless buffers are made of the host's memory.
  PFN_vkGetMemoryHostPointerPropertiesEXT host_pointer_properties() const { return host_pointer_properties_; }

  /// The index of a memory type among the `allowed` bits that has all of the wanted
  /// flags and, if it can be had, none of the `avoided` ones. Throws DeviceError.
  std::uint32_t memory_type(std::uint32_t allowed, VkMemoryPropertyFlags wanted, VkMemoryPropertyFlags avoided) const;

 private:
  struct DestroyDevice {
    void operator()(VkDevice device) const { vkDestroyDevice(device, nullptr); }
  };

  Ledger ledger_;
  device::DeviceFacts facts_;
  std::uint32_t queue_family_;
  std::uint64_t timestamp_mask_;
  VkPhysicalDeviceMemoryProperties memory_{};
  std::unique_ptr<VkDevice_T, DestroyDevice> device_;
  VkQueue queue_ = VK_NULL_HANDLE;
  PFN_vkCmdPushDescriptorSetKHR push_descriptors_ = nullptr;
  PFN_vkGetMemoryHostPointerPropertiesEXT host_pointer_properties_ = nullptr;
};

}  // namespace plumb::gpu_vulkan::runtime::driver
