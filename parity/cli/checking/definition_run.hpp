#pragma once

#include "parity/cli/checking/check_flags.hpp"

namespace plumb::parity::cli {

/// Verifies a definition of FlashInfer-Bench on its workloads, and writes a trace of each. Returns the exit code.
/// Throws Error for flags and files that do not fit, and Unsupported where the definition is not built in.
int run_definition(const CheckFlags& flags);

}  // namespace plumb::parity::cli
