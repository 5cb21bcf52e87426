// Lines for people on stdout, safe to show and as wide as the terminal.
#include "parity/cli/show/print.hpp"

#include <unistd.h>

#include "parity/core/terminal/style.hpp"
#include "parity/core/terminal/text.hpp"

namespace plumb::parity::cli::show {

std::size_t stdout_width() {
  return core::terminal::style_of({}, core::terminal::surroundings_of(STDOUT_FILENO)).width;
}

void print_lines(std::string_view lines, std::size_t column) {
  fmt::print("{}", core::terminal::fitted(core::terminal::printable(lines), stdout_width(), column));
}

}  // namespace plumb::parity::cli::show
