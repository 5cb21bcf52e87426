#pragma once

// A file that nobody else sees, for bytes that have no room in memory.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "ir/error.hpp"
#include "ir/files/descriptor.hpp"

namespace plumb::ir::files {

/// A disk had no room for what had to be written. It is no fault of a graph's.
class NoRoom : public Error {
 public:
  using Error::Error;
};

/// A file that has no name any more: it ends with the process, however that ends. Bytes are written one behind the
/// other, and read as memory. Any number of threads may use it.
class ScratchFile : public std::enable_shared_from_this<ScratchFile> {
 public:
  /// In this folder. Throws Error, with the folder's name, where none can be made there.
  static std::shared_ptr<ScratchFile> make(const std::filesystem::path& directory);

  /// Bytes in the file, which `owner` keeps: their room is given back with it.
  struct Part {
    std::span<const std::byte> bytes;
    std::shared_ptr<const void> owner;
  };
  /// Throws NoRoom where they do not go on the disk.
  Part write(std::span<const std::byte> bytes);

  /// Bytes that were written until now.
  std::uint64_t written() const { return written_; }

 private:
  class Mapping;
  ScratchFile(Descriptor file, std::filesystem::path directory)
      : file_(std::move(file)), directory_(std::move(directory)) {}

  const Descriptor file_;
  const std::filesystem::path directory_;
  std::atomic<std::uint64_t> end_ = 0, written_ = 0;
};

/// The folder for scratch where nobody names one: $TMPDIR, else /var/tmp.
std::filesystem::path usual_scratch_folder();

/// Bytes that this user could write to the folder's disk now. Throws Error where there is no such folder.
std::uint64_t free_bytes(const std::filesystem::path& directory);

}  // namespace plumb::ir::files
