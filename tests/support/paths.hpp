#pragma once

#include <filesystem>

namespace plumb::tests {

/// Where fixtures/ is: the source tree, or what PLUMB_SOURCE_DIR names, for a
/// test program that was carried to another machine (scripts/bundle.sh).
std::filesystem::path source_dir();

}  // namespace plumb::tests
