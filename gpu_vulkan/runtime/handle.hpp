#pragma once

#include <vulkan/vulkan.h>

#include <memory>
#include <utility>

#include "gpu_vulkan/runtime/result.hpp"

namespace plumb::gpu_vulkan {

struct Destroy {
  void operator()(VkInstance instance) const { vkDestroyInstance(instance, nullptr); }
  void operator()(VkDevice device) const { vkDestroyDevice(device, nullptr); }
};
using Instance = std::unique_ptr<VkInstance_T, Destroy>;
using LogicalDevice = std::unique_ptr<VkDevice_T, Destroy>;

/// Owns one Vulkan object of a device; destroyed exactly once, never copied.
/// The device must outlive it: declare the device first.
template <class T, auto destroy>
class Handle {
 public:
  Handle() = default;
  Handle(VkDevice device, T value) : device_(device), value_(value) {}
  ~Handle() {
    if (value_ != VK_NULL_HANDLE) destroy(device_, value_, nullptr);
  }
  Handle(Handle&& other) noexcept : device_(other.device_), value_(std::exchange(other.value_, T{})) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(value_, other.value_);
    return *this;
  }

  T get() const { return value_; }

 private:
  VkDevice device_ = VK_NULL_HANDLE;
  T value_ = VK_NULL_HANDLE;
};

using Buffer = Handle<VkBuffer, vkDestroyBuffer>;
using Memory = Handle<VkDeviceMemory, vkFreeMemory>;
using ShaderModule = Handle<VkShaderModule, vkDestroyShaderModule>;
using SetLayout = Handle<VkDescriptorSetLayout, vkDestroyDescriptorSetLayout>;
using PipelineLayout = Handle<VkPipelineLayout, vkDestroyPipelineLayout>;
using PipelineHandle = Handle<VkPipeline, vkDestroyPipeline>;
using PipelineCache = Handle<VkPipelineCache, vkDestroyPipelineCache>;
using CommandPool = Handle<VkCommandPool, vkDestroyCommandPool>;
using Semaphore = Handle<VkSemaphore, vkDestroySemaphore>;
using QueryPool = Handle<VkQueryPool, vkDestroyQueryPool>;

}  // namespace plumb::gpu_vulkan
