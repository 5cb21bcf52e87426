#pragma once

#include <string>
#include <string_view>

namespace plumb::parity::terminal {

/// The text as one word of a POSIX shell: in quotes where it has to be.
std::string shell_word(std::string_view text);

}  // namespace plumb::parity::terminal
