#pragma once

// A name of what results files hold, whatever the order and the places in which they hold it.

#include <array>
#include <filesystem>
#include <string>
#include <string_view>

#include "parity/results/merge/run_content.hpp"

namespace plumb::parity::results {

/// Which content a digest is of: all of each run and of each start of the program, or what was computed, which another
/// run of the same cases on the same device gives, too: no times, no uuids, no hosts.
enum class DigestOf { runs, values };

constexpr auto enum_names(DigestOf) { return std::array<std::string_view, 2>{"runs", "values"}; }

/// sha256 of all that the file has of a run. Equal in two files that have the same run, wherever it stands in them.
std::string digest_of_run(RunContent& content, const Run& run, DigestOf of);

/// sha256 of all runs of a file, and, of `runs`, of the starts of the program. Throws Error as RunContent does.
std::string digest_of_file(const std::filesystem::path& path, DigestOf of);

}  // namespace plumb::parity::results
