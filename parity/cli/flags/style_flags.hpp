#pragma once

// The flags that say how text for people is laid out.

#include "parity/core/terminal/style.hpp"

namespace CLI {
class App;
}

namespace plumb::parity::cli::flags {

/// --width and --color.
void add_style_flags(CLI::App& app, core::terminal::StyleFlags& flags);

}  // namespace plumb::parity::cli::flags
