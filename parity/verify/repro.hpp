#pragma once

#include <string>

#include "parity/verify/verify.hpp"

namespace plumb::parity::verify {

/// The command that runs a case again.
std::string repro_of(const cases::Case& subject, const VerifyOptions& options);

}  // namespace plumb::parity::verify
