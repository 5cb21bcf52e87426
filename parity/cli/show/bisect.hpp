#pragma once

// --git-bisect of commands that compare what was with what is.

#include <functional>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace plumb::parity::cli::show {

/// --git-bisect.
CLI::Option* add_bisect_flag(CLI::App& app, bool& is_asked);

/// The exit code of a command; where that is asked, as `git bisect run` has it: 0 good, 1 bad, and 125 for a commit of
/// which nothing can be said, an error included, which is printed.
int exit_for_bisect(bool is_asked, const std::function<int()>& run);

}  // namespace plumb::parity::cli::show
