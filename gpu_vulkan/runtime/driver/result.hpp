#pragma once

#include <string_view>

#include "gpu_vulkan/runtime/driver/functions.hpp"
#include "ir/error.hpp"

namespace plumb::gpu_vulkan::runtime::driver {

/// "VK_ERROR_DEVICE_LOST" and so on; "VkResult -12345" for one that has no name here.
std::string result_name(VkResult result);

/// Throws DeviceError, naming the call and the result, unless the call succeeded.
template <class... Details>
void check(VkResult result, std::string_view call, const Details&... details) {
  if (result != VK_SUCCESS) throw ir::DeviceError(ir::cat(call, " returned ", result_name(result), details...));
}

}  // namespace plumb::gpu_vulkan::runtime::driver
