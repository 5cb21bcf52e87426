// Maps a file, or reads it where that cannot be.
#include "ir/files/mapped.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>

#include "ir/error.hpp"
#include "ir/files/descriptor.hpp"
#include "ir/files/read_file.hpp"

namespace plumb::ir::files {
namespace {

/// Reads until the buffer is full.
void read_all(const Descriptor& file, std::span<std::byte> to) {
  constexpr std::size_t most_at_once = std::size_t{1} << 30;
  while (!to.empty()) {
    const ssize_t count = ::read(file.number(), to.data(), std::min(to.size(), most_at_once));
    if (count < 0 && errno == EINTR) continue;
    require(count >= 0, "cannot be read: ", std::strerror(errno));
    require(count > 0, "ends early");
    to = to.subspan(static_cast<std::size_t>(count));
  }
}

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

std::shared_ptr<const MappedFile> MappedFile::open(const std::filesystem::path& path) {
  require_regular_file(path);
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  require(static_cast<bool>(file), "cannot be opened: ", std::strerror(errno));
  struct stat found {};
  require(fstat(file.number(), &found) == 0, "cannot be opened: ", std::strerror(errno));
  require(S_ISREG(found.st_mode), "is not a regular file");
  const auto size = static_cast<std::size_t>(found.st_size);
  std::shared_ptr<MappedFile> opened(new MappedFile);
  if (size == 0) return opened;
  void* const begin = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number(), 0);
  if (begin != MAP_FAILED) {
    opened->bytes_ = {static_cast<const std::byte*>(begin), size};
    remember_mapping(opened->bytes_);
    return opened;
  }
  opened->read_ = std::make_unique_for_overwrite<std::byte[]>(size);
  read_all(file, {opened->read_.get(), size});
  opened->bytes_ = {opened->read_.get(), size};
  return opened;
}

MappedFile::~MappedFile() {
  // Unmapping takes the address without const, and writes nothing there.
  if (read_ != nullptr || bytes_.empty()) return;
  forget_mapping(bytes_);
  munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace plumb::ir::files
