#pragma once

// A folder of results files of earlier runs.

#include <filesystem>
#include <vector>

#include "parity/results/judge.hpp"

namespace plumb::parity::results {

/// The runs of the results files (*.h5) of a folder, but not of folders in it, judged by a policy as of a day: the
/// earliest first, by when they were recorded. Throws Error, with the name, where the folder or a file cannot be read.
std::vector<JudgedRun> history_of(const std::filesystem::path& folder, const policy::Policy& policy,
                                  std::chrono::sys_days today);

}  // namespace plumb::parity::results
