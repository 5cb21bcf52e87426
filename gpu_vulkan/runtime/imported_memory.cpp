// Which memory of the host's can be a buffer of a device.
#include "gpu_vulkan/runtime/imported_memory.hpp"

#include <charconv>
#include <fstream>

#include "ir/error.hpp"

namespace plumb::gpu_vulkan::runtime {
namespace {

/// Addresses of this process from `begin` on, and whether it may read and write there.
struct Mapping {
  std::uintptr_t begin = 0, end = 0;
  bool is_writable = false;
};

/// A line of /proc/self/maps, "7f01a000-7f01c000 rw-p ...".
Mapping mapping_of(const std::string& line) {
  Mapping made;
  const char* const last = line.data() + line.size();
  const auto begin = std::from_chars(line.data(), last, made.begin, 16);
  if (begin.ptr == last) return {};
  const auto end = std::from_chars(begin.ptr + 1, last, made.end, 16);
  made.is_writable = last - end.ptr > 2 && end.ptr[1] == 'r' && end.ptr[2] == 'w';
  return made;
}

/// Whether the process may write all of this memory, which a software driver finds out by dying. True where the system
/// does not tell.
bool is_writable(std::span<const std::byte> memory) {
  auto next = reinterpret_cast<std::uintptr_t>(memory.data());
  const std::uintptr_t end = next + memory.size();
  std::ifstream maps("/proc/self/maps");
  if (!maps) return true;
  for (std::string line; next < end && std::getline(maps, line);) {
    const Mapping mapping = mapping_of(line);
    if (mapping.end <= next) continue;
    if (mapping.begin > next || !mapping.is_writable) return false;
    next = mapping.end;
  }
  return next >= end;
}

}  // namespace

std::string why_not_imported(const device::DeviceFacts& facts, std::span<const std::byte> memory) {
  const std::uint64_t alignment = facts.host_pointer_alignment;
  if (alignment == 0)
    return ir::cat(facts.name, " makes no buffers of the host's memory (VK_EXT_external_memory_host)");
  const std::string wanted = ir::cat(", and ", facts.name, " wants a multiple of ", alignment, " bytes");
  if (const std::uint64_t behind = reinterpret_cast<std::uintptr_t>(memory.data()) % alignment; behind != 0)
    return ir::cat("it begins ", behind, " bytes behind a multiple of ", alignment, wanted);
  if (memory.size() % alignment != 0) return ir::cat("it has ", memory.size(), " bytes", wanted);
  if (memory.size() > facts.max_allocation)
    return ir::cat("it has ", memory.size(), " bytes, and a buffer of ", facts.name, " at most ", facts.max_allocation);
  return is_writable(memory) ? "" : "the process may not write there";
}

}  // namespace plumb::gpu_vulkan::runtime
