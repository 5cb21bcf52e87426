#pragma once

// The flags of verify that say how much has to be verified.

#include <vector>

#include "parity/core/demands.hpp"

namespace CLI {
class App;
}

namespace plumb::parity::cli::flags {

/// --strict, --require-verified and --min-verified; the last is left empty, or gets two shares.
void add_demand_flags(CLI::App& app, core::Demands& demands, std::vector<double>& min_verified);

}  // namespace plumb::parity::cli::flags
