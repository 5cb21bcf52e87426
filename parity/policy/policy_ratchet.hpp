#pragma once

#include <string>
#include <vector>

#include "parity/policy/policy.hpp"

namespace plumb::parity::policy {

/// Where a policy asks for less than the one it replaces and does not say why, a line each,
/// "FILE:LINE: ...". A rule is compared with every earlier rule that may have decided the same nodes,
/// as far as their texts tell; no rule is the bound. What is looser needs a `reason`, and
/// another one than it had before:
///
///   rules        a requirement dropped, or its limit raised (tried on sizes, roundoffs and norms where it is
///                an expression); an xfail where there was none, or for longer
///   [output]     a budget dropped or raised
///   [special]    forbid -> match -> ignore
///   [budget]     less power, more vacuity
///   quarantines  one that lasts longer, or excuses more, for the same issue
std::vector<std::string> ratchet(const Policy& now, const Policy& before, std::chrono::sys_days today);

}  // namespace plumb::parity::policy
