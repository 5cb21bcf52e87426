#pragma once

// A file whose bytes are read where they lie.

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace plumb::ir::files {

/// The bytes of a regular file as it was when it was opened, for reading alone. They live as long as this: views of
/// them keep it. A file that cannot be mapped is read. If somebody makes a mapped one shorter meanwhile, looking at
/// what is gone ends the program by SIGBUS.
class MappedFile {
 public:
  /// Opens it. Throws Error, without the file's name.
  static std::shared_ptr<const MappedFile> open(const std::filesystem::path& path);

  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  MappedFile() = default;

  std::unique_ptr<std::byte[]> read_;  ///< null where the bytes are mapped
  std::span<const std::byte> bytes_;
};

}  // namespace plumb::ir::files
