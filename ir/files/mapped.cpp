// Maps a file, or reads it where that cannot be.
#include "ir/files/mapped.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "ir/error.hpp"
#include "ir/files/descriptor.hpp"
#include "ir/files/read_file.hpp"
#include "ir/raw/mappings.hpp"

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

}  // namespace

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
    raw::remember_mapping(opened->bytes_);
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
  raw::forget_mapping(bytes_);
  munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace plumb::ir::files
