#pragma once

// Files that other files name: a hostile one must not make its reader open just any file.

#include <filesystem>
#include <string>

#include "ir/files/descriptor.hpp"

namespace plumb::ir::files {

/// Whether a name, as it stands, is a path below the folder of the file that has it.
bool stays_below(const std::string& name);

/// The file of this name, its links resolved. Throws Error where the name or a link leads out of the folder.
std::filesystem::path path_below(const std::filesystem::path& folder, const std::string& name);

/// Opens the regular file of this name below an open folder, for reading, through no link at all. Throws Error, without
/// the name.
Descriptor open_below(int folder, const std::string& name);

}  // namespace plumb::ir::files
