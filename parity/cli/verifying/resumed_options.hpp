#pragma once

// Options of `plumb verify` that runs depend on and that their names do not tell.

#include <string>
#include <vector>

#include "parity/cli/verifying/batches.hpp"
#include "parity/results/resumption.hpp"

namespace plumb::parity::cli {

/// Throws Error, naming the option, where runs that are to be gone on with were made by a command line in which one of
/// these options is another than in this one, or where their command line is not recorded. Files are told apart by
/// their names alone: of absolute paths nothing else is recorded.
void require_equal_options(results::Resumption& earlier, const std::vector<std::string>& command_line);

/// Throws Error where a run that was cut off is of no file of these.
void require_same_files(const results::Resumption& earlier, const std::vector<Batch>& batches);

}  // namespace plumb::parity::cli
