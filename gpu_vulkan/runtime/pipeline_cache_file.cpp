#include "gpu_vulkan/runtime/pipeline_cache_file.hpp"

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iomanip>
#include <sstream>

#include "gpu_vulkan/shader_blobs.hpp"
#include "ir/hash.hpp"

namespace plumb::gpu_vulkan {
namespace {

struct Head {
  std::array<char, 8> magic{'p', 'l', 'u', 'm', 'b', 'v', 'k', '1'};
  std::uint64_t bytes = 0, hash = 0;
};

std::filesystem::path folder_of(std::string_view option) {
  if (option == "off") return {};
  if (!option.empty()) return option;
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/')
    return std::filesystem::path(cache) / "plumbline";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/')
    return std::filesystem::path(home) / ".cache" / "plumbline";
  return {};
}

/// Of everything that decides whether a driver could use the data.
std::uint64_t key(const DeviceFacts& facts) {
  std::uint64_t hash = ir::hash_bytes(std::as_bytes(std::span(facts.uuid)));
  hash = ir::hash_bytes(std::as_bytes(std::span(facts.pipeline_cache_uuid)), hash);
  const std::array<std::uint32_t, 4> numbers = {facts.vendor_id, facts.device_id, facts.api_version,
                                                facts.driver_version};
  hash = ir::hash_bytes(std::as_bytes(std::span(numbers)), hash);
  for (const ShaderBlob& blob : shader_blobs()) hash = ir::hash_bytes(std::as_bytes(blob.words), hash);
  return hash;
}

}  // namespace

PipelineCacheFile::PipelineCacheFile(std::string_view folder, const DeviceFacts& facts) {
  const auto place = folder_of(folder);
  if (place.empty()) return;
  std::ostringstream name;
  name << "pipelines-" << std::hex << std::setw(16) << std::setfill('0') << key(facts) << ".bin";
  path_ = place / name.str();
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
  std::error_code problem;
  std::filesystem::create_directories(path_.parent_path(), problem);
  auto fresh = path_;
  fresh += "." + std::to_string(getpid());
  Head head;
  head.bytes = data.size();
  head.hash = ir::hash_bytes(data);
  std::ofstream file(fresh, std::ios::binary);
  file.write(reinterpret_cast<const char*>(&head), sizeof head);
  file.write(reinterpret_cast<const char*>(data.data()), static_cast<std::streamsize>(data.size()));
  file.close();
  if (file) std::filesystem::rename(fresh, path_, problem);
  if (!file || problem) std::filesystem::remove(fresh, problem);
}

}  // namespace plumb::gpu_vulkan
