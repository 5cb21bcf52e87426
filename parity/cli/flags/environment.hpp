#pragma once

// What the environment may say to plumb.

namespace plumb::parity::cli::flags {

/// Throws Error when a variable of the environment begins with PLUMB_ and nothing reads it: it was misspelt, and what
/// it was to change would stay as it is in silence.
void require_known_environment();

}  // namespace plumb::parity::cli::flags
