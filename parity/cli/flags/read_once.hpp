#pragma once

#include "parity/verify/verify.hpp"

namespace plumb::parity::cli::flags {

/// Lets many cases of one graph read its files once: what is read is the same for every seed.
void read_once(verify::FillOptions& fill);

}  // namespace plumb::parity::cli::flags
