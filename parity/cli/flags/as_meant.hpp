#pragma once

// Words of a command line that would be taken, but for something else than was meant.

namespace CLI {
class App;
}

namespace plumb::parity::cli::flags {

/// Lets every option of a command, and of its subcommands, refuse what is empty (a variable of a script that is not
/// set); and numbers that wrap (-1 of an unsigned one), do not fit 64 bits, are no numbers or are infinite. An option
/// that takes several words takes one each time that it is said, or several with commas between them, and never the
/// file behind it.
void take_as_meant(CLI::App& app);

}  // namespace plumb::parity::cli::flags
