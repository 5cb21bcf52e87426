#pragma once

#include <string>
#include <string_view>

namespace plumb::parity::core::terminal {

/// The text as one word of a POSIX shell: in quotes where it has to be.
std::string shell_word(std::string_view text);

/// The text in single quotes, whether it has to be or not.
std::string quoted(std::string_view text);

/// The flag that chooses the node of this label alone: " --filter '^label$'".
std::string filter_flag(std::string_view label);

}  // namespace plumb::parity::core::terminal
