// Asks for the lock that a writer holds, and gives it back.
#include "ir/files/file_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>

#include "ir/files/descriptor.hpp"

namespace plumb::ir::files {

bool is_being_written(const std::filesystem::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  return file && ::flock(file.number(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

}  // namespace plumb::ir::files
