// Checks a library before it is loaded, by its own name.
#include "library/host/library_file.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <cstring>
#include <filesystem>

#include "ir/error.hpp"
#include "ir/files/descriptor.hpp"

namespace plumb::library::host {

LibraryFile::LibraryFile(const std::string& path) {
  ir::require(path.find('/') != std::string::npos, "'", path, "' has no slash: libraries are not searched for; './",
              path, "' is one of this folder");
  // No FIFO shall keep this waiting.
  const ir::files::Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  ir::require(static_cast<bool>(file), "'", path, "' cannot be opened: ", std::strerror(errno));
  struct stat opened = {}, folder = {}, loaded = {};
  ir::require(fstat(file.number(), &opened) == 0 && S_ISREG(opened.st_mode), "'", path, "' is not a regular file");
  ir::require((opened.st_mode & S_IWOTH) == 0, "'", path, "' can be written by everybody, and is not loaded");
  std::error_code problem;
  const auto real = std::filesystem::canonical(path, problem);
  ir::require(!problem, "'", path, "' cannot be found: ", problem.message());
  ir::require(stat(real.parent_path().c_str(), &folder) == 0, "the folder of '", path, "' cannot be read");
  ir::require((folder.st_mode & S_IWOTH) == 0 || (folder.st_mode & S_ISVTX) != 0, "the folder of '", path,
              "' can be written by everybody, and '", path, "' is not loaded");
  // By its own name, since libraries find others beside them ($ORIGIN); through the descriptor they would find none.
  ir::require(stat(real.c_str(), &loaded) == 0 && loaded.st_ino == opened.st_ino && loaded.st_dev == opened.st_dev, "'",
              path, "' was replaced while it was opened");
  handle_ = dlopen(real.c_str(), RTLD_NOW | RTLD_LOCAL);
  const char* const reason = handle_ == nullptr ? dlerror() : nullptr;
  ir::require(handle_ != nullptr, "'", path, "' cannot be loaded: ", reason != nullptr ? reason : "");
}

void* LibraryFile::find(const std::string& symbol) const { return dlsym(handle_, symbol.c_str()); }

}  // namespace plumb::library::host
