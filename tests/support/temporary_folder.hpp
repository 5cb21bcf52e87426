#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>

namespace plumb::tests {

/// A folder of this process, not there before somebody makes it, and gone after the test.
struct TemporaryFolder {
  std::filesystem::path path;

  TemporaryFolder() {
    static int made = 0;
    const auto name = "plumbline-test-" + std::to_string(getpid()) + "-" + std::to_string(made++);
    path = std::filesystem::temp_directory_path() / name;
    std::filesystem::remove_all(path);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
};

}  // namespace plumb::tests
