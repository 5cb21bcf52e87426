#pragma once

#include <string>

#include "parity/verify/verify.hpp"

namespace plumb::parity::verify {

/// The command that runs a case again.
std::string repro_of(const cases::Case& subject, const VerifyOptions& options);

/// That command for one node: `--filter` with the label as a pattern that matches it alone, for a shell.
std::string repro_of(const std::string& of_case, std::string_view label);

}  // namespace plumb::parity::verify
