// Where benchmarks find the source tree: by the environment, above the program's own folder, or where it was built.
#include "bench/fixtures.hpp"

#include <cstdlib>

namespace plumb::bench {

std::filesystem::path source_folder() {
  if (const char* named = std::getenv("PLUMB_SOURCE_DIR"); named != nullptr) return named;
  std::error_code unknown;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", unknown);
  for (auto folder = program.parent_path(); folder != folder.parent_path(); folder = folder.parent_path())
    if (std::filesystem::is_directory(folder / "fixtures/graphs", unknown)) return folder;
  return PLUMB_SOURCE_DIR;
}

}  // namespace plumb::bench
