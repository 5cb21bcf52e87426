#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "gpu_vulkan/device/device_facts.hpp"

namespace plumb::gpu_vulkan::runtime {

/// The file in which a driver's pipeline cache survives the process. Its name says which
/// driver and which shaders it is for, and its head how many bytes follow and their hash: a file
/// that is damaged, cut short or somebody else's counts as absent. Writing never
/// damages it, as the new one takes its place in one step; that it cannot be written
/// is no error.
class PipelineCacheFile {
 public:
  /// `folder` as in VulkanOptions::pipeline_cache.
  PipelineCacheFile(std::string_view folder, const device::DeviceFacts& facts);

  bool enabled() const { return !path_.empty(); }
  const std::filesystem::path& path() const { return path_; }

  std::vector<std::byte> load() const;
  void store(const std::vector<std::byte>& data) const;

 private:
  std::filesystem::path path_;
};

}  // namespace plumb::gpu_vulkan::runtime
