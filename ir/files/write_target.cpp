#include "ir/files/write_target.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <optional>
#include <system_error>

namespace plumb::ir::files {
namespace {

namespace fs = std::filesystem;

/// The descriptor that a name in /proc/self/fd, which /dev/fd and /dev/stdout lead to, stands for.
std::optional<int> descriptor_named(const fs::path& path) {
  std::error_code problem;
  const fs::path folder = fs::canonical(path.has_parent_path() ? path.parent_path() : fs::path("."), problem);
  if (problem || folder != "/proc/" + std::to_string(::getpid()) + "/fd") return std::nullopt;
  const std::string text = path.filename().string();
  int number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

WriteTarget given(int descriptor, const char* what) {
  return {.how = WriteTarget::How::given, .path = {}, .descriptor = descriptor, .what = what, .problem = ""};
}

/// Whether the file is what this process prints to: to replace it would lose what is printed.
bool is_printed_to(const struct stat& file, int descriptor) {
  struct stat printed {};
  return ::fstat(descriptor, &printed) == 0 && printed.st_dev == file.st_dev && printed.st_ino == file.st_ino;
}

WriteTarget target_at(const fs::path& path) {
  WriteTarget target{.how = WriteTarget::How::replaced, .path = path, .descriptor = -1, .what = "", .problem = ""};
  struct stat file {};
  if (::stat(path.c_str(), &file) != 0) {
    const std::error_code problem(errno, std::generic_category());
    if (problem != std::errc::no_such_file_or_directory) target.problem = "cannot be written: " + problem.message();
    return target;
  }
  if (S_ISREG(file.st_mode)) {
    for (const int printed : {STDOUT_FILENO, STDERR_FILENO})
      if (is_printed_to(file, printed)) return given(printed, "where this command prints");
    return target;
  }
  target.how = WriteTarget::How::opened;
  target.what = S_ISFIFO(file.st_mode) ? "a pipe" : "a device";
  if (S_ISDIR(file.st_mode)) target.problem = "is a folder";
  // A disk would lose what is on it.
  if (S_ISBLK(file.st_mode)) target.problem = "is a disk";
  if (S_ISSOCK(file.st_mode)) target.problem = "is a socket";
  return target;
}

}  // namespace

WriteTarget write_target(const fs::path& path) {
  if (path == "-") return given(STDOUT_FILENO, "stdout");
  constexpr int most_links = 40;
  fs::path at = path;
  for (int links = 0; links <= most_links; ++links) {
    if (const auto descriptor = descriptor_named(at)) return given(*descriptor, "a descriptor of this process");
    std::error_code problem;
    if (!fs::is_symlink(fs::symlink_status(at, problem))) return target_at(at);
    const fs::path to = fs::read_symlink(at, problem);
    at = to.is_absolute() ? to : at.parent_path() / to;
  }
  WriteTarget target = given(-1, "a link");
  target.problem = "cannot be written: " + std::make_error_code(std::errc::too_many_symbolic_link_levels).message();
  return target;
}

}  // namespace plumb::ir::files
