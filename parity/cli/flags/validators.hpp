#pragma once

// Checks of the values of flags, made before a command begins; each refusal says what was wanted. CLI11's own
// say "not in range 0.000000 to 1797693134...", with all 309 digits.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace plumb::parity::cli::flags {

/// One of these words; of a misspelt one it is said which was perhaps meant.
CLI::Validator one_of(std::vector<std::string> words);

/// A whole number, or any number, with these limits among them.
CLI::Validator whole_from_to(std::uint64_t least, std::uint64_t most);
CLI::Validator from_to(double least, double most);

/// A finite number above 0, and one that is not below it.
CLI::Validator above_zero();
CLI::Validator not_negative();

}  // namespace plumb::parity::cli::flags
