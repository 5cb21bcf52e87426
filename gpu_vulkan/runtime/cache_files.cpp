#include "gpu_vulkan/runtime/cache_files.hpp"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <sstream>

#include "gpu_vulkan/shader_blobs.hpp"
#include "ir/hash.hpp"

namespace plumb::gpu_vulkan {

std::filesystem::path cache_folder(std::string_view option) {
  if (option == "off") return {};
  if (!option.empty()) return option;
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/')
    return std::filesystem::path(cache) / "plumbline";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/')
    return std::filesystem::path(home) / ".cache" / "plumbline";
  return {};
}

std::string cache_key(const DeviceFacts& facts) {
  std::uint64_t hash = ir::hash_bytes(std::as_bytes(std::span(facts.uuid)));
  hash = ir::hash_bytes(std::as_bytes(std::span(facts.pipeline_cache_uuid)), hash);
  const std::array<std::uint32_t, 4> numbers = {facts.vendor_id, facts.device_id, facts.api_version,
                                                facts.driver_version};
  hash = ir::hash_bytes(std::as_bytes(std::span(numbers)), hash);
  for (const ShaderBlob& blob : shader_blobs()) hash = ir::hash_bytes(std::as_bytes(blob.words), hash);
  std::ostringstream digits;
  digits << std::hex << std::setw(16) << std::setfill('0') << hash;
  return std::move(digits).str();
}

bool store_whole(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  std::error_code problem;
  std::filesystem::create_directories(path.parent_path(), problem);
  auto fresh = path;
  fresh += "." + std::to_string(getpid());
  std::ofstream file(fresh, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (file) std::filesystem::rename(fresh, path, problem);
  const bool stored = file && !problem;
  if (!stored) std::filesystem::remove(fresh, problem);
  return stored;
}

}  // namespace plumb::gpu_vulkan
