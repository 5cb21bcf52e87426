#pragma once

#include <filesystem>

namespace plumb::bench {

/// The folder that holds fixtures/ and bench/: what PLUMB_SOURCE_DIR names; else the nearest one around the program,
/// which finds a tree it was built in and a bundle it was unpacked with; else the tree it was built from.
std::filesystem::path source_folder();

}  // namespace plumb::bench
