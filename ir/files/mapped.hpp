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

/// Lets go of the memory of these bytes, where they are of a mapped file: whoever looks at them reads them from it
/// again. Nothing happens to other bytes.
void release_pages(std::span<const std::byte> bytes);

/// Whether all of these bytes are those of a mapped file.
bool is_mapped(std::span<const std::byte> bytes);

/// While one lives, whoever has looked at large parts of mapped files releases their pages.
class ReleasesPages {
 public:
  ReleasesPages();
  ~ReleasesPages();
  ReleasesPages(const ReleasesPages&) = delete;
  ReleasesPages& operator=(const ReleasesPages&) = delete;
};

/// release_pages, while a ReleasesPages lives, of bytes that are worth it.
void release_after_use(std::span<const std::byte> bytes);

/// Notes that read-only memory is that of a file from now on, and until it is forgotten: for those who map files.
void remember_mapping(std::span<const std::byte> bytes);
void forget_mapping(std::span<const std::byte> bytes);

}  // namespace plumb::ir::files
