// Files of the cache folder: keyed by device, driver and shaders, checked by a hash, locked, replaced as a whole.
#include "gpu_vulkan/cache/cache_files.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iomanip>
#include <sstream>
#include <thread>

#include "gpu_vulkan/kernels/common/shader_blobs.hpp"
#include "ir/raw/hash.hpp"

namespace plumb::gpu_vulkan::cache {
namespace {

struct Head {
  CacheMagic magic{};
  std::uint64_t bytes = 0, hash = 0;
};

std::uint64_t hash_of_shaders() {
  static const std::uint64_t known = [] {
    std::uint64_t hash = 0;
    for (const kernels::common::ShaderBlob& blob : kernels::common::shader_blobs())
      hash = ir::raw::hash_bytes(std::as_bytes(blob.words), hash);
    return hash;
  }();
  return known;
}

}  // namespace

std::filesystem::path cache_folder(std::string_view option) {
  if (option == "off") return {};
  if (!option.empty()) return option;
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/')
    return std::filesystem::path(cache) / "plumbline";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/')
    return std::filesystem::path(home) / ".cache" / "plumbline";
  return {};
}

std::string digits_of(std::uint64_t hash) {
  std::ostringstream digits;
  digits << std::hex << std::setw(16) << std::setfill('0') << hash;
  return std::move(digits).str();
}

std::string cache_key(const device::DeviceFacts& facts) {
  std::uint64_t hash = ir::raw::hash_bytes(std::as_bytes(std::span(facts.uuid)), hash_of_shaders());
  hash = ir::raw::hash_bytes(std::as_bytes(std::span(facts.pipeline_cache_uuid)), hash);
  const std::array<std::uint32_t, 4> numbers = {facts.vendor_id, facts.device_id, facts.api_version,
                                                facts.driver_version};
  hash = ir::raw::hash_bytes(std::as_bytes(std::span(numbers)), hash);
  return digits_of(hash);
}

CacheLock::CacheLock(const std::filesystem::path& path) {
  using namespace std::chrono_literals;
  std::error_code none;
  std::filesystem::create_directories(path.parent_path(), none);
  file_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  const auto is_held = [&] { return flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK; };
  for (auto waited = 0ms; file_ >= 0 && waited < 3min && is_held(); waited += 20ms) std::this_thread::sleep_for(20ms);
}

CacheLock::~CacheLock() {
  if (file_ >= 0) close(file_);
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

std::vector<std::byte> load_checked(const std::filesystem::path& path, const CacheMagic& magic) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none)) return {};  // a pipe would never end
  std::ifstream file(path, std::ios::binary);
  Head head;
  if (!file.read(reinterpret_cast<char*>(&head), sizeof head) || head.magic != magic) return {};
  if (std::filesystem::file_size(path, none) != sizeof head + head.bytes) return {};
  std::vector<std::byte> data(head.bytes);
  if (!file.read(reinterpret_cast<char*>(data.data()), static_cast<std::streamsize>(data.size()))) return {};
  return ir::raw::hash_bytes(data) == head.hash ? data : std::vector<std::byte>{};
}

bool store_checked(const std::filesystem::path& path, const CacheMagic& magic, std::span<const std::byte> bytes) {
  const Head head{magic, bytes.size(), ir::raw::hash_bytes(bytes)};
  std::vector<std::byte> file(sizeof head + bytes.size());
  std::memcpy(file.data(), &head, sizeof head);
  std::ranges::copy(bytes, file.begin() + sizeof head);
  return store_whole(path, file);
}

}  // namespace plumb::gpu_vulkan::cache
