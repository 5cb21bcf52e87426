#pragma once

// The flags that say how text for people is laid out.

#include "parity/terminal/style.hpp"

namespace CLI {
class App;
}

namespace plumb::parity::cli::flags {

/// --width and --color.
void add_style_flags(CLI::App& app, terminal::StyleFlags& flags);

}  // namespace plumb::parity::cli::flags
