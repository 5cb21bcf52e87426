#pragma once

// Which memory is that of files, whose pages may be let go at any time.

#include <cstddef>
#include <span>

namespace plumb::ir::raw {

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

}  // namespace plumb::ir::raw
