#pragma once

// Manuals for man(1), made from the flags that CLI11 knows.

#include <string>

namespace CLI {
class App;
}

namespace plumb::parity::cli {

/// The manual page of a command, or of the program, for man(1): roff with the macros of man(7). The flags of commands
/// within it are among its own.
std::string manual_page(const CLI::App& app);

}  // namespace plumb::parity::cli
