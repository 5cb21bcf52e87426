// Writes a file without a name, and maps what was written.
#include "ir/files/scratch_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "ir/raw/mappings.hpp"

namespace plumb::ir::files {
namespace {

int open_unnamed(const std::filesystem::path& directory) {
  const int made = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (made >= 0 || errno == ENOENT || errno == EACCES) return made;
  std::string name = (directory / "plumb-XXXXXX").string();  // a file system without O_TMPFILE
  const int named = ::mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(name.c_str());
  return named;
}

}  // namespace

/// Bytes of the file as memory; their room on the disk is given back when they are let go of.
class ScratchFile::Mapping {
 public:
  Mapping(std::shared_ptr<const ScratchFile> of, std::uint64_t offset, std::size_t size)
      : of_(std::move(of)), offset_(offset) {
    void* const begin = mmap(nullptr, size, PROT_READ, MAP_SHARED, of_->file_.number(), static_cast<off_t>(offset));
    require(begin != MAP_FAILED, of_->directory_.string(), ": scratch cannot be mapped: ", std::strerror(errno));
    bytes_ = {static_cast<const std::byte*>(begin), size};
    raw::remember_mapping(bytes_);
  }
  ~Mapping() {
    raw::forget_mapping(bytes_);
    munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
    // Where the file system cannot, the room comes back with the process.
    ::fallocate(of_->file_.number(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset_),
                static_cast<off_t>(bytes_.size()));
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::shared_ptr<const ScratchFile> of_;
  std::uint64_t offset_;
  std::span<const std::byte> bytes_;
};

std::shared_ptr<ScratchFile> ScratchFile::make(const std::filesystem::path& directory) {
  Descriptor file(open_unnamed(directory));
  require(static_cast<bool>(file), directory.string(), ": no scratch file can be made there: ", std::strerror(errno));
  return std::shared_ptr<ScratchFile>(new ScratchFile(std::move(file), directory));
}

ScratchFile::Part ScratchFile::write(std::span<const std::byte> bytes) {
  require(!bytes.empty(), "no bytes are written to scratch");
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const std::uint64_t offset = end_.fetch_add((bytes.size() + page - 1) / page * page);
  for (std::size_t done = 0; done < bytes.size();) {
    constexpr std::size_t most_at_once = std::size_t{1} << 26;
    const ssize_t count = ::pwrite(file_.number(), bytes.data() + done, std::min(bytes.size() - done, most_at_once),
                                   static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0)
      throw NoRoom(cat(directory_.string(), ": scratch cannot be written behind ", written(),
                       " bytes: ", count < 0 ? std::strerror(errno) : "nothing was taken"));
    done += static_cast<std::size_t>(count);
  }
  written_ += bytes.size();
  const auto mapping = std::make_shared<const Mapping>(shared_from_this(), offset, bytes.size());
  return {mapping->bytes(), mapping};
}

std::filesystem::path usual_scratch_folder() {
  const char* const named = std::getenv("TMPDIR");
  return named != nullptr && *named != '\0' ? named : "/var/tmp";
}

std::uint64_t free_bytes(const std::filesystem::path& directory) {
  std::error_code problem;
  const auto space = std::filesystem::space(directory, problem);
  require(!problem, directory.string(), ": ", problem.message());
  return space.available;
}

}  // namespace plumb::ir::files
