#pragma once

#include <string>
#include <utility>
#include <vector>

namespace plumb::ref_cpu {

/// The libraries that the CPU executor computes with, by name and version: a record of
/// numbers says what made them.
std::vector<std::pair<std::string, std::string>> library_versions();

}  // namespace plumb::ref_cpu
