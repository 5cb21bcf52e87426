#pragma once

#include <string>
#include <vector>

#include "gpu_vulkan/device_facts.hpp"
#include "gpu_vulkan/runtime/handle.hpp"

namespace plumb::gpu_vulkan {

/// What a driver says of a physical device.
DeviceFacts read_facts(VkInstance instance, VkPhysicalDevice physical);

/// One Vulkan device and its compute queue, with every optional feature on that the
/// facts report.
class Device {
 public:
  explicit Device(bool validation);

  VkDevice get() const { return device_.get(); }
  VkQueue queue() const { return queue_; }
  std::uint32_t family() const { return family_; }
  const DeviceFacts& facts() const { return facts_; }
  PFN_vkCmdPushDescriptorSetKHR push_descriptors() const { return push_descriptors_; }

  /// The index of a memory type among `allowed` that has all of `flags`.
  std::uint32_t memory_type(std::uint32_t allowed, VkMemoryPropertyFlags flags) const;

 private:
  void make_instance(bool validation);
  void pick_physical();
  void make_device();

  Instance instance_;
  VkPhysicalDevice physical_ = VK_NULL_HANDLE;
  DeviceFacts facts_;
  std::uint32_t family_ = 0;
  LogicalDevice device_;
  VkQueue queue_ = VK_NULL_HANDLE;
  PFN_vkCmdPushDescriptorSetKHR push_descriptors_ = nullptr;
};

}  // namespace plumb::gpu_vulkan
