#pragma once

#include <string>
#include <vector>

namespace plumb::parity::cli::show {

/// Which plumbline this is and, where `verbose`, what it was built with and computes with, a line each.
std::string version_text(bool verbose);

/// The arguments of this process.
std::vector<std::string> command_line();

}  // namespace plumb::parity::cli::show
