#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu_vulkan/device/device_facts.hpp"

namespace plumb::gpu_vulkan::cache {

/// Where files are kept between runs: the folder of an option, "plumbline" in $XDG_CACHE_HOME or ~/.cache when that is
/// empty, and none, an empty path, when it is "off" or there is no home.
std::filesystem::path cache_folder(std::string_view option);

/// The sixteen hexadecimal digits of a hash, by which files are called.
std::string digits_of(std::uint64_t hash);

/// Sixteen hexadecimal digits of everything that decides whether what a driver made of our shaders can be used again:
/// the device, its driver, and the shaders.
std::string cache_key(const device::DeviceFacts& facts);

/// Held by one thread of one process at a time, and given back when that ends, however it does. Who has waited a few
/// minutes goes on without: a process that is stopped does not stop others.
class CacheLock {
 public:
  explicit CacheLock(const std::filesystem::path& path);
  CacheLock(const CacheLock&) = delete;
  CacheLock& operator=(const CacheLock&) = delete;
  ~CacheLock();

 private:
  int file_;
};

/// Writes a file in one step: what was there stays until all of the new one is. False when it cannot be written.
bool store_whole(const std::filesystem::path& path, std::span<const std::byte> bytes);

using CacheMagic = std::array<char, 8>;

/// The bytes that store_checked wrote; none where the file is damaged, cut short or has another magic.
std::vector<std::byte> load_checked(const std::filesystem::path& path, const CacheMagic& magic);

/// Writes a file that says what it is, how long, and its hash. False when it cannot be written.
bool store_checked(const std::filesystem::path& path, const CacheMagic& magic, std::span<const std::byte> bytes);

}  // namespace plumb::gpu_vulkan::cache
