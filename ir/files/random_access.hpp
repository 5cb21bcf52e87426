#pragma once

// A file of which any part is read, by its offset, without trust.

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>

namespace plumb::ir::files {

/// A regular file, opened for reading. One thread at a time. All members throw Error, without the file's name.
class RandomAccessFile {
 public:
  explicit RandomAccessFile(const std::filesystem::path& path);

  /// Its length in bytes, when it was opened.
  std::uint64_t size() const { return size_; }

  /// Whether there are so many bytes from `offset` on.
  bool has(std::uint64_t offset, std::uint64_t bytes) const { return offset <= size_ && bytes <= size_ - offset; }

  /// Fills `bytes` with those from `offset` on.
  void read(std::uint64_t offset, std::span<std::byte> bytes) const;

 private:
  mutable std::ifstream file_;
  std::uint64_t size_ = 0;
};

}  // namespace plumb::ir::files
