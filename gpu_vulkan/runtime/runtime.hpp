#pragma once

#include "gpu_vulkan/runtime/instance.hpp"
#include "gpu_vulkan/runtime/pipelines.hpp"
#include "gpu_vulkan/runtime/timeline.hpp"

namespace plumb::gpu_vulkan {

/// What an executor and everything it compiled share. Members die from the last to the first.
struct Runtime {
  Runtime(bool validation, std::string_view device_selector, std::string_view cache_folder, std::size_t max_buffer);

  Instance instance;
  Device device;
  Pipelines pipelines;
  Timeline timeline;
  std::string lost;  ///< how the device was lost; empty while it lives
};

}  // namespace plumb::gpu_vulkan
