#include "gpu_vulkan/runtime/pipeline_cache_file.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>

#include "gpu_vulkan/runtime/cache_files.hpp"
#include "ir/hash.hpp"

namespace plumb::gpu_vulkan {
namespace {

struct Head {
  std::array<char, 8> magic{'p', 'l', 'u', 'm', 'b', 'v', 'k', '1'};
  std::uint64_t bytes = 0, hash = 0;
};

}  // namespace

PipelineCacheFile::PipelineCacheFile(std::string_view folder, const DeviceFacts& facts) {
  const auto place = cache_folder(folder);
  if (!place.empty()) path_ = place / ("pipelines-" + cache_key(facts) + ".bin");
}

std::vector<std::byte> PipelineCacheFile::load() const {
  if (!enabled()) return {};
  std::ifstream file(path_, std::ios::binary);
  Head head;
  if (!file.read(reinterpret_cast<char*>(&head), sizeof head) || head.magic != Head{}.magic) return {};
  std::error_code none;
  if (std::filesystem::file_size(path_, none) != sizeof head + head.bytes) return {};
  std::vector<std::byte> data(head.bytes);
  if (!file.read(reinterpret_cast<char*>(data.data()), static_cast<std::streamsize>(data.size()))) return {};
  return ir::hash_bytes(data) == head.hash ? data : std::vector<std::byte>{};
}

void PipelineCacheFile::store(const std::vector<std::byte>& data) const {
  if (!enabled()) return;
  Head head;
  head.bytes = data.size();
  head.hash = ir::hash_bytes(data);
  std::vector<std::byte> file(sizeof head + data.size());
  std::memcpy(file.data(), &head, sizeof head);
  std::ranges::copy(data, file.begin() + sizeof head);
  store_whole(path_, file);
}

}  // namespace plumb::gpu_vulkan
