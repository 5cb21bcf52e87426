#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace plumb::ir::formats {

/// The whole of a regular file. Throws Error, with the reason, when it cannot be read or
/// has more than `most_bytes`.
std::string read_text(const std::filesystem::path& path, std::uint64_t most_bytes);

/// Does that too, with errors that begin with the name of the file.
std::string read_named_text(const std::filesystem::path& path, std::uint64_t most_bytes);

/// Throws Error unless `path` is a regular file that exists: a pipe or a device would
/// never end.
void require_regular_file(const std::filesystem::path& path);

/// Has `write` make the file under the name `path`.part, then renames it, so that `path`
/// is never half a file. Whatever `write` throws leaves no trace.
void write_atomically(const std::filesystem::path& path,
                      const std::function<void(const std::filesystem::path&)>& write);

/// Writes a text file atomically.
void write_text(const std::filesystem::path& path, std::string_view text);

}  // namespace plumb::ir::formats
