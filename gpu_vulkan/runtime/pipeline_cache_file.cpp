// The pipeline cache's file of a device, in the cache folder.
#include "gpu_vulkan/runtime/pipeline_cache_file.hpp"

#include "gpu_vulkan/cache/cache_files.hpp"

namespace plumb::gpu_vulkan::runtime {
namespace {

constexpr cache::CacheMagic magic = {'p', 'l', 'u', 'm', 'b', 'v', 'k', '1'};

}  // namespace

PipelineCacheFile::PipelineCacheFile(std::string_view folder, const device::DeviceFacts& facts) {
  const auto place = cache::cache_folder(folder);
  if (!place.empty()) path_ = place / ("pipelines-" + cache::cache_key(facts) + ".bin");
}

std::vector<std::byte> PipelineCacheFile::load() const {
  return enabled() ? cache::load_checked(path_, magic) : std::vector<std::byte>{};
}

void PipelineCacheFile::store(const std::vector<std::byte>& data) const {
  if (enabled()) cache::store_checked(path_, magic, data);
}

}  // namespace plumb::gpu_vulkan::runtime
