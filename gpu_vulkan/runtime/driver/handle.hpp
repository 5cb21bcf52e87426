#pragma once

#include <utility>

#include "gpu_vulkan/runtime/driver/functions.hpp"
#include "gpu_vulkan/runtime/driver/result.hpp"

namespace plumb::gpu_vulkan::runtime::driver {

/// Owns one Vulkan object of a device; destroyed exactly once, by the function that `destroy` points at, never copied.
/// The device must outlive it: declare the device first.
template <class T, auto destroy>
class Handle {
 public:
  Handle() = default;
  Handle(VkDevice device, T value) : device_(device), value_(value) {}
  ~Handle() {
    if (value_ != VK_NULL_HANDLE) (*destroy)(device_, value_, nullptr);
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

using Buffer = Handle<VkBuffer, &vkDestroyBuffer>;
using Memory = Handle<VkDeviceMemory, &vkFreeMemory>;
using ShaderModule = Handle<VkShaderModule, &vkDestroyShaderModule>;
using SetLayout = Handle<VkDescriptorSetLayout, &vkDestroyDescriptorSetLayout>;
using PipelineLayout = Handle<VkPipelineLayout, &vkDestroyPipelineLayout>;
using PipelineHandle = Handle<VkPipeline, &vkDestroyPipeline>;
using PipelineCache = Handle<VkPipelineCache, &vkDestroyPipelineCache>;
using CommandPool = Handle<VkCommandPool, &vkDestroyCommandPool>;
using Semaphore = Handle<VkSemaphore, &vkDestroySemaphore>;
using QueryPool = Handle<VkQueryPool, &vkDestroyQueryPool>;

/// Makes the object that `create` makes, owned from the first moment:
///   create<Semaphore>("vkCreateSemaphore", vkCreateSemaphore, device, info)
template <class Owner, class Create, class Info, class... Details>
Owner create(std::string_view call, Create make, VkDevice device, const Info& info, const Details&... details) {
  decltype(Owner().get()) raw = VK_NULL_HANDLE;
  check(make(device, &info, nullptr, &raw), call, details...);
  return Owner(device, raw);
}

}  // namespace plumb::gpu_vulkan::runtime::driver
