// Keeps files that other files name within their folder, through links as well.
#include "ir/files/path_below.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "ir/error.hpp"

namespace plumb::ir::files {

bool stays_below(const std::string& name) {
  const std::filesystem::path path(name);
  return !path.empty() && path.is_relative() && std::ranges::find(path, "..") == path.end() &&
         name.find('\0') == name.npos;
}

std::filesystem::path path_below(const std::filesystem::path& folder, const std::string& name) {
  constexpr std::size_t longest_quote = 80;
  const std::string quoted = name.substr(0, longest_quote);
  require(stays_below(name), "'", quoted, "' is no path below the folder of the file that names it");
  std::error_code problem;
  const auto home = std::filesystem::weakly_canonical(folder.empty() ? "." : folder, problem);
  auto file = std::filesystem::weakly_canonical(home / name, problem);
  const auto [end, rest] = std::mismatch(home.begin(), home.end(), file.begin(), file.end());
  require(!problem && end == home.end(), "'", quoted, "' leads out of the folder of the file that names it");
  return file;
}

Descriptor open_below(int folder, const std::string& name) {
  require(stays_below(name), "is no path below the folder");
  Descriptor last;
  const std::filesystem::path path(name);
  for (auto part = path.begin(); part != path.end(); ++part) {
    const bool is_file = std::next(part) == path.end();
    // A pipe would wait for whoever writes it.
    const int how = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | (is_file ? O_NONBLOCK : O_DIRECTORY);
    Descriptor next(openat(last ? last.number() : folder, part->c_str(), how));
    require(errno != ELOOP || next, "is a link");
    require(static_cast<bool>(next), "cannot be opened: ", std::strerror(errno));
    last = std::move(next);
  }
  struct stat found {};
  require(last && fstat(last.number(), &found) == 0 && S_ISREG(found.st_mode), "is not a regular file");
  return last;
}

}  // namespace plumb::ir::files
