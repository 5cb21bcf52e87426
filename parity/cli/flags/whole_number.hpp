#pragma once

// Numbers that strtoull would take for others.

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdlib>

namespace plumb::parity::cli::flags {

/// For flags of unsigned numbers: refuses what is below 0, which would wrap, and what does not fit 64 bits.
inline CLI::Validator whole_number() {
  const auto is_whole = [](const std::string& text) {
    errno = 0;
    std::strtoull(text.c_str(), nullptr, 0);
    const bool fits = text.find('-') == std::string::npos && errno != ERANGE;
    return fits ? std::string() : "wanted a number from 0 to 18446744073709551615, found " + text;
  };
  return CLI::Validator(is_whole, "");
}

}  // namespace plumb::parity::cli::flags
