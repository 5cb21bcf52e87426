// Zip archives, as NumPy's .npz are: members are read without trust and written one after another.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "ir/files/random_access.hpp"

namespace plumb::ir::files {
class OutputFile;
}

namespace plumb::ir::formats {

/// The members of a zip archive, as APPNOTE.TXT 6.3 lays it out: stored or deflated, zip64
/// included; no encryption, no splitting. All members throw Error.
class ZipReader {
 public:
  explicit ZipReader(const std::filesystem::path& path);

  struct Entry {
    std::uint64_t offset = 0;  ///< where the local header begins
    std::uint64_t packed = 0, size = 0;
    std::uint32_t crc = 0;
    std::uint16_t method = 0;  ///< 0 stored, 8 deflated
  };

  const std::map<std::string, Entry, std::less<>>& entries() const { return entries_; }

  /// The first `bytes.size()` bytes of a member.
  void read_start(const Entry& entry, std::span<std::byte> bytes) const;

  /// A member from byte `skip` on, which is `bytes.size()` bytes long, checked against its sum.
  void read(const Entry& entry, std::uint64_t skip, std::span<std::byte> bytes) const;

 private:
  void read_at(std::uint64_t offset, std::span<std::byte> bytes) const;
  std::uint64_t data_offset(const Entry& entry) const;
  std::function<std::span<const std::byte>()> packed_bytes(const Entry& entry) const;
  void read_directory(std::uint64_t offset, std::uint64_t size, std::uint64_t count);

  files::RandomAccessFile file_;
  std::map<std::string, Entry, std::less<>> entries_;
};

/// Writes stored members one after the other; nothing is deflated, and equal members
/// give equal archives. The file is committed by whoever made it.
class ZipWriter {
 public:
  explicit ZipWriter(files::OutputFile& file) : file_(file) {}

  void add(const std::string& name, std::span<const std::byte> head, std::span<const std::byte> body);
  /// Writes the directory. Without it there is no archive.
  void finish();

 private:
  void write(std::span<const std::byte> bytes);

  files::OutputFile& file_;
  std::uint64_t offset_ = 0;
  std::vector<std::byte> directory_;
  std::uint64_t count_ = 0;
};

}  // namespace plumb::ir::formats
