#pragma once

// A baseline: what drift knows of runs, without tensors, histograms and limits, small enough to be committed.

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "parity/studies/drift/records.hpp"

namespace plumb::parity::studies::drift {

inline constexpr std::string_view baseline_schema = "plumb.baseline";

/// Writes these runs, and why they may be worse than those before them, a line each. `path` is a new file.
void write_baseline(const std::filesystem::path& path, std::span<const Record> records,
                    std::span<const std::string> reasons);

/// Throws Error, with the file's name, where it is no baseline of a version known here.
std::vector<Record> read_baseline(const std::filesystem::path& path);
std::vector<std::string> reasons_of(const std::filesystem::path& path);

}  // namespace plumb::parity::studies::drift
