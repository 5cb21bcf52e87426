#pragma once

// Broken files, each of which has to be refused.

#include "parity/cli/fuzzing/fuzz_flags.hpp"

namespace plumb::parity::cli {

/// Has `plumb inspect` read a broken file in place of each case, and says which did not end with 2. The exit code of
/// the command.
int read_hostile_files(const FuzzFlags& flags);

}  // namespace plumb::parity::cli
