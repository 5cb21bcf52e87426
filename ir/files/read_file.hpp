#pragma once

// Reads what a caller names, which may be anything.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace plumb::ir::files {

/// The whole of a regular file. Throws Error, with the reason, when it cannot be read or
/// has more than `most_bytes`.
std::string read_text(const std::filesystem::path& path, std::uint64_t most_bytes);

/// Does that too, with errors that begin with the name of the file.
std::string read_named_text(const std::filesystem::path& path, std::uint64_t most_bytes);

/// The message of an error with the name of the file before each line.
std::string with_name(const std::filesystem::path& path, std::string_view message);

/// Throws Error unless `path` is a regular file that exists: a pipe or a device would
/// never end.
void require_regular_file(const std::filesystem::path& path);

}  // namespace plumb::ir::files
