#pragma once

#include <span>
#include <string>
#include <vector>

#include "parity/results/judge.hpp"

namespace plumb::parity::policy {

/// What is wrong with a policy as such, a line each, "FILE:LINE: ...":
///
///   expired   a rule whose last day is over: it matches nothing any more
///   shadowed  an earlier rule matches whatever this one does
///   loose     ratio_max lets pass what the bound fails
std::vector<std::string> lint(const Policy& policy, std::chrono::sys_days today);

/// And with respect to runs that it judged:
///
///   unused    no output is decided by the rule, or held to the budget
///   loose     the rule let pass outputs that the bound fails
std::vector<std::string> lint(const Policy& policy, std::chrono::sys_days today,
                              std::span<const results::JudgedRun> runs);

/// Whether whatever matches `inner` matches `outer`, as far as their texts tell.
bool covers(const Rule& outer, const Rule& inner);

}  // namespace plumb::parity::policy
