#pragma once

#include <map>
#include <mutex>

#include "gpu_vulkan/plan/schedule.hpp"
#include "gpu_vulkan/runtime/driver/device.hpp"
#include "gpu_vulkan/runtime/pipeline_cache_file.hpp"

namespace plumb::gpu_vulkan::runtime {

/// The Vulkan objects that launch a shader; owned by Pipelines.
struct Pipeline {
  VkPipeline handle = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE;
};

/// The compute pipelines of a device: made when first asked for, kept in memory by
/// shader and constants, and by the driver in a file from one process to the next. Threads take turns.
class Pipelines {
 public:
  /// `cache_folder` as in VulkanOptions::pipeline_cache.
  Pipelines(const driver::Device& device, std::string_view cache_folder);

  Pipeline get(const plan::Dispatch& dispatch);

  /// Writes the file if pipelines were made since the last time.
  void save();

  std::size_t made() const {
    const std::scoped_lock turn(turns_);
    return pipelines_.size();
  }
  /// How many bytes the file gave the driver to start from.
  std::size_t loaded_bytes() const { return loaded_bytes_; }

 private:
  struct Layout {
    driver::SetLayout set;
    driver::PipelineLayout pipeline;
  };

  const Layout& layout(std::uint32_t bindings);
  driver::PipelineHandle make(const plan::Shader& shader, VkPipelineLayout layout);

  const driver::Device& device_;
  mutable std::mutex turns_;
  PipelineCacheFile file_;
  std::size_t loaded_bytes_ = 0;
  driver::PipelineCache cache_;
  std::map<std::uint32_t, Layout> layouts_;  ///< by number of bindings
  std::map<plan::Shader, driver::PipelineHandle> pipelines_;
  std::size_t saved_ = 0;
};

}  // namespace plumb::gpu_vulkan::runtime
