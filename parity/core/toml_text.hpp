#pragma once

#include <toml++/toml.h>

#include <string>
#include <string_view>

namespace plumb::parity::core {

/// The table of a TOML text. Throws Error "FILE:LINE: no TOML: why".
toml::table parse_toml(std::string_view text, const std::string& file);

/// "a string", "an integer": what a message says that it found.
std::string kind_of(const toml::node& node);

}  // namespace plumb::parity::core
