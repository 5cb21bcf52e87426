// Keeps the mappings of files, and lets go of their pages.
#include "ir/raw/mappings.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>

namespace plumb::ir::raw {
namespace {

std::uintptr_t address_of(std::span<const std::byte> bytes) { return reinterpret_cast<std::uintptr_t>(bytes.data()); }

/// The mappings of files, by where they begin.
struct Mappings {
  std::mutex mutex;
  std::map<std::uintptr_t, std::size_t> sizes;

  bool have(std::span<const std::byte> bytes) const {
    const auto behind = sizes.upper_bound(address_of(bytes));
    return behind != sizes.begin() &&
           address_of(bytes) + bytes.size() <= std::prev(behind)->first + std::prev(behind)->second;
  }
};

Mappings& mappings() {
  static Mappings all;
  return all;
}

std::atomic<int> releasing = 0;

}  // namespace

void remember_mapping(std::span<const std::byte> bytes) {
  const std::lock_guard lock(mappings().mutex);
  mappings().sizes.insert_or_assign(address_of(bytes), bytes.size());
}

void forget_mapping(std::span<const std::byte> bytes) {
  const std::lock_guard lock(mappings().mutex);
  mappings().sizes.erase(address_of(bytes));
}

bool is_mapped(std::span<const std::byte> bytes) {
  const std::lock_guard lock(mappings().mutex);
  return mappings().have(bytes);
}

void release_pages(std::span<const std::byte> bytes) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE)), begin = address_of(bytes);
  const std::lock_guard lock(mappings().mutex);  // so that nobody unmaps them meanwhile
  if (!mappings().have(bytes)) return;
  const std::uintptr_t from = begin / page * page;
  madvise(reinterpret_cast<void*>(from), begin + bytes.size() - from, MADV_DONTNEED);
}

ReleasesPages::ReleasesPages() { ++releasing; }
ReleasesPages::~ReleasesPages() { --releasing; }

void release_after_use(std::span<const std::byte> bytes) {
  constexpr std::size_t least = std::size_t{1} << 18;
  if (releasing.load(std::memory_order_relaxed) > 0 && bytes.size() >= least) release_pages(bytes);
}

}  // namespace plumb::ir::raw
