// Folders that a program and this process share: one is locked while its owner lives, so that others see when it died.
#include "parity/foreign/scratch.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <ctime>

#include "ir/error.hpp"

namespace plumb::parity::foreign {
namespace {

namespace fs = std::filesystem;
using ir::files::Descriptor;

constexpr std::string_view prefix = "plumb-exchange-";

Descriptor open_folder(const fs::path& path) {
  return Descriptor(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

/// Removes a folder, with folders in it that somebody has made unreadable.
void remove_whole(const fs::path& path) {
  constexpr int most_tries = 3;
  for (int k = 0; k < most_tries; ++k) {
    std::error_code problem;
    fs::remove_all(path, problem);
    if (!problem) return;
    std::error_code ignored;
    for (fs::recursive_directory_iterator one(path, fs::directory_options::skip_permission_denied, ignored), end;
         !ignored && one != end; one.increment(ignored))
      if (one->is_directory(ignored) && !one->is_symlink(ignored))
        fs::permissions(one->path(), fs::perms::owner_all, ignored);
  }
}

/// The number in "plumb-exchange-PID-XXXXXX"; 0 where the name is another.
pid_t owner_in(const std::string& name) {
  if (!name.starts_with(prefix)) return 0;
  pid_t owner = 0;
  const char* const end = name.data() + name.size();
  const auto [stop, problem] = std::from_chars(name.data() + prefix.size(), end, owner);
  return problem == std::errc{} && stop != end && *stop == '-' && owner > 0 ? owner : 0;
}

bool is_forsaken(const fs::path& path) {
  const pid_t owner = owner_in(path.filename().string());
  if (owner == 0) return false;
  struct stat found {};
  if (lstat(path.c_str(), &found) != 0 || !S_ISDIR(found.st_mode) || found.st_uid != geteuid()) return false;
  const Descriptor folder = open_folder(path);
  if (!folder || flock(folder.number(), LOCK_EX | LOCK_NB) != 0) return false;  // its owner has the lock
  // A folder is made before it is locked; its owner may also be of another container, where it has another number.
  constexpr std::time_t young = 60;
  const bool is_alive = kill(owner, 0) == 0 || errno == EPERM;
  return !is_alive || std::time(nullptr) - found.st_mtime > young;
}

bool has_room(const fs::path& parent, std::uint64_t bytes) {
  struct statvfs found {};
  if (access(parent.c_str(), W_OK | X_OK) != 0 || statvfs(parent.c_str(), &found) != 0) return false;
  const auto free = static_cast<double>(found.f_bavail) * static_cast<double>(found.f_frsize);
  return 2 * static_cast<double>(bytes) <= free;
}

fs::path make_temporary(std::uint64_t bytes) {
  const fs::path memory = "/dev/shm";
  std::error_code problem;
  const fs::path parent = has_room(memory, bytes) ? memory : fs::temp_directory_path(problem);
  ir::require(!problem, "the temp folder: ", problem.message());
  remove_forsaken(parent);
  std::string name = parent / ir::cat(prefix, getpid(), "-XXXXXX");
  ir::require(mkdtemp(name.data()) != nullptr, parent.string(),
              ": no folder can be made there: ", std::strerror(errno));
  return name;
}

fs::path make_kept(const fs::path& keep) {
  std::error_code problem;
  fs::create_directories(keep, problem);
  ir::require(!problem, keep.string(), ": ", problem.message());
  for (unsigned k = 1;; ++k) {
    const fs::path path = fs::absolute(keep) / ir::cat("run-", k);
    if (mkdir(path.c_str(), S_IRWXU) == 0) return path;
    ir::require(errno == EEXIST, path.string(), ": cannot be made: ", std::strerror(errno));
  }
}

}  // namespace

std::size_t remove_forsaken(const fs::path& parent) {
  std::error_code problem;
  std::size_t count = 0;
  for (fs::directory_iterator one(parent, problem), end; !problem && one != end; one.increment(problem))
    if (is_forsaken(one->path())) {
      remove_whole(one->path());
      ++count;
    }
  return count;
}

Scratch::Scratch(std::uint64_t bytes, const fs::path& keep) : is_kept_(!keep.empty()) {
  const ir::files::Uninterrupted whole;
  path_ = is_kept_ ? make_kept(keep) : make_temporary(bytes);
  folder_ = open_folder(path_);
  ir::require(folder_ && flock(folder_.number(), LOCK_EX | LOCK_NB) == 0, path_.string(),
              ": cannot be opened: ", std::strerror(errno));
  last_word_.emplace([this] {
    remove();
    return "";
  });
}

Scratch::~Scratch() {
  const ir::files::Uninterrupted whole;
  last_word_.reset();
  remove();
}

void Scratch::remove() {
  if (!is_kept_) remove_whole(path_);
}

}  // namespace plumb::parity::foreign
