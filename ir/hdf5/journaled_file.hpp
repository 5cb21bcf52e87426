#pragma once

// A file whose changes take effect all at once.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "ir/files/descriptor.hpp"

namespace plumb::ir::hdf5 {

/// Bytes that change all at once, at each commit(): a process that is killed at any moment leaves what the last commit
/// made, or what the one under way makes.
///
/// Bytes beyond the end of the last commit are written straight to the file. Pages below it are kept in memory until
/// a commit appends them to the file, with a seal; then they are put in their places, and the copy is cut off. A file
/// that ends in a sealed copy is read as though its pages were in place. Losing power may undo more than that, since
/// nothing is forced to the disk.
///
/// All members throw Error with the system's reason.
class JournaledFile {
 public:
  enum class Open { create, write, read };

  JournaledFile(const std::filesystem::path& path, Open how);

  /// Whether the file ends in a copy of pages, so that nothing else should read it.
  static bool has_journal(const std::filesystem::path& path);

  /// Tells the file on the disk from others, whatever they are called: its device and its number.
  std::pair<std::uint64_t, std::uint64_t> identity() const { return identity_; }

  std::uint64_t size() const { return size_; }
  void resize(std::uint64_t size) { size_ = size; }
  /// Bytes beyond the end of the file are read as zero.
  void read(std::uint64_t at, std::span<std::byte> bytes) const;
  void write(std::uint64_t at, std::span<const std::byte> bytes);
  void commit() {
    seal();
    settle();
  }

  /// The two halves of a commit: the copy at the end, and then the pages in their places.
  void seal() const;
  void settle();

 private:
  static constexpr std::uint64_t page_bytes = 4096;
  using Page = std::vector<std::byte>;

  void load_journal();
  Page& page(std::uint64_t number);
  void append_journal(std::uint64_t at) const;

  files::Descriptor file_;
  std::pair<std::uint64_t, std::uint64_t> identity_;
  std::uint64_t size_ = 0, committed_ = 0;
  std::map<std::uint64_t, Page> pages_;  ///< changed since the last commit, of those that it has
};

}  // namespace plumb::ir::hdf5
