#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string_view>
#include <utility>

namespace plumb::parity::cli::show {

/// Columns of the terminal that stdout is; core::terminal::unlimited where it is none.
std::size_t stdout_width();

/// Prints whole lines for people on stdout: what a terminal would obey is replaced, and lines are folded at spaces to
/// its width; what goes on in another line begins at `column`, or a little deeper than its line.
void print_lines(std::string_view lines, std::size_t column = 0);

/// Prints whole lines made by a format, likewise.
template <class... Args>
void print(fmt::format_string<Args...> format, Args&&... args) {
  print_lines(fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace plumb::parity::cli::show
