#include "tests/support/paths.hpp"

#include <cstdlib>

namespace plumb::tests {

std::filesystem::path source_dir() {
  const char* const moved = std::getenv("PLUMB_SOURCE_DIR");
  return moved != nullptr ? moved : PLUMB_SOURCE_DIR;
}

}  // namespace plumb::tests
