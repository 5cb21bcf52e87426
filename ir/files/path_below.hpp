#pragma once

// Files that other files name: a hostile one must not make its reader open just any file.

#include <filesystem>
#include <string>

namespace plumb::ir::files {

/// Whether a name, as it stands, is a path below the folder of the file that has it.
bool stays_below(const std::string& name);

/// The file of this name, its links resolved. Throws Error where the name or a link leads out of the folder.
std::filesystem::path path_below(const std::filesystem::path& folder, const std::string& name);

}  // namespace plumb::ir::files
