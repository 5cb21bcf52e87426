#pragma once

// The check of environment variables that are meant for plumb.

namespace plumb::parity::cli::flags {

/// Throws Error when a variable of the environment begins with PLUMB_ and nothing reads it: it was misspelt, and the
/// setting would be ignored in silence.
void require_known_environment();

}  // namespace plumb::parity::cli::flags
