#pragma once

#include <string>
#include <string_view>

namespace plumb::parity::core {

/// SHA-256 of a text, as 64 hex digits.
std::string sha256(std::string_view text);

}  // namespace plumb::parity::core
