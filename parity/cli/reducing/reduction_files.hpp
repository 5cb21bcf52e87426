#pragma once

// The folder that `plumb reduce` leaves.

#include <filesystem>
#include <string>

#include "parity/studies/reduce/candidate.hpp"

namespace plumb::parity::cli {

/// Throws Error unless the folder is one to be made, or an empty one, or `force` is said.
void require_folder(const std::filesystem::path& folder, bool force);

/// A folder with repro.json, repro.sh and report.md. Where it is new it appears whole or not at all; of one that is
/// there these files are replaced, each whole. Throws Error, with the name.
struct ReductionFiles {
  std::string graph, script, report;

  void write(const std::filesystem::path& folder) const;
};

}  // namespace plumb::parity::cli
