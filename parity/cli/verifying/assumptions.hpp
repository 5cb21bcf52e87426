#pragma once

#include <string>
#include <string_view>

#include "parity/foreign/candidate.hpp"

namespace plumb::parity::cli {

/// A line on what limits assume of a candidate that is not ours and has no profile, and on how they may assume less.
/// `spec` is what the user named it by.
std::string assumptions_of(const foreign::Candidate& candidate, std::string_view spec);

}  // namespace plumb::parity::cli
