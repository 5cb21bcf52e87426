#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpu_vulkan/runtime/driver/functions.hpp"

namespace plumb::gpu_vulkan::runtime::driver {

/// The connection to the Vulkan loader, and with validation the messages of its layer.
class Instance {
 public:
  /// Throws Unsupported when there is no loader or driver, or no validation layer where it is wanted.
  explicit Instance(bool validation);
  ~Instance();

  VkInstance get() const { return instance_.get(); }

  /// The version of Vulkan that the validation layer knows; 0 where it is off.
  std::uint32_t layer_version() const { return layer_version_; }

  /// Every warning and error of the validation layer so far.
  std::vector<std::string> messages() const;
  /// Throws Error with the messages that came since the last call, if any.
  void throw_new_messages();

  /// Messages of instances that are gone, which nobody could throw any more.
  static std::vector<std::string> late_messages();

 private:
  struct Messages;

  void create(const VkInstanceCreateInfo& info);
  void create_with_layer(VkInstanceCreateInfo info);

  struct DestroyInstance {
    void operator()(VkInstance instance) const { vkDestroyInstance(instance, nullptr); }
  };

  std::uint32_t layer_version_ = 0;
  std::unique_ptr<Messages> messages_;  // the layer writes them until the instance is gone
  std::unique_ptr<VkInstance_T, DestroyInstance> instance_;
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
};

}  // namespace plumb::gpu_vulkan::runtime::driver
