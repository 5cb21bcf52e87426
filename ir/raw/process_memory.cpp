// Asks the kernel how much memory this process has, and how much it may have.
#include "ir/raw/process_memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

namespace plumb::ir::raw {
namespace {

/// A line of /proc/self/status, which counts in KiB.
std::uint64_t status_of(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(name + ':')) return std::strtoull(line.c_str() + name.size() + 1, nullptr, 10) << 10;
  return 0;
}

/// The number that is all of a file; nothing of one that says "max", or is not there.
std::optional<std::uint64_t> number_in(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::uint64_t number = 0;
  return in >> number ? std::optional(number) : std::nullopt;
}

/// The least limit of the control group and those around it: of version 2, or of version 1.
std::optional<std::uint64_t> limit_of_group() {
  const std::filesystem::path root = "/sys/fs/cgroup";
  std::optional<std::uint64_t> least;
  const auto take = [&least](const std::filesystem::path& file) {
    if (const auto number = number_in(file)) least = std::min(*number, least.value_or(*number));
  };
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const bool is_second = line.starts_with("0::");
    const std::size_t path = line.find(":memory:");
    if (!is_second && path == line.npos) continue;
    const std::filesystem::path own = line.substr(is_second ? 3 : path + 8);
    const std::filesystem::path top = is_second ? root : root / "memory";
    const char* const file = is_second ? "memory.max" : "memory.limit_in_bytes";
    std::filesystem::path group = top;
    take(group / file);
    for (const auto& part : own.relative_path()) take((group /= part) / file);
  }
  return least;
}

}  // namespace

std::uint64_t resident_bytes() { return status_of("VmRSS"); }
std::uint64_t peak_resident_bytes() { return status_of("VmHWM"); }

std::optional<std::uint64_t> machine_memory() {
  const auto pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGE_SIZE);
  std::optional<std::uint64_t> most = limit_of_group();
  if (pages <= 0 || page <= 0) return most;
  const std::uint64_t all = static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page);
  return std::min(all, most.value_or(all));
}

}  // namespace plumb::ir::raw
