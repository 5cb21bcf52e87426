#pragma once

// A case of fixtures/ops for every op, which the build embeds (cmake/embed_cases.sh).

#include <span>

#include "parity/studies/selfcheck/small_cases.hpp"

namespace plumb::parity::cli {

/// Each called as its op is.
std::span<const studies::selfcheck::SmallCase> embedded_cases();

}  // namespace plumb::parity::cli
