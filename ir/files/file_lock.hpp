#pragma once

// Locks of files that are being written (OutputFile).

#include <filesystem>

namespace plumb::ir::files {

/// Whether a process that writes the file holds its lock.
bool is_being_written(const std::filesystem::path& path);

}  // namespace plumb::ir::files
