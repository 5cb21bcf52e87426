#pragma once

// The flag that names files of ops from outside, shared by all commands.

#include <string>

namespace CLI {
class App;
}

namespace plumb::parity::cli::flags {

/// --ops: files of ops from outside, which every command knows that may meet one.
void add_ops_flag(CLI::App& app);

/// Registers their ops, before a command reads anything. Throws Error, naming the file.
void register_given_ops();

/// The flags that register them again, each with a space in front.
std::string repeated_ops();

}  // namespace plumb::parity::cli::flags
