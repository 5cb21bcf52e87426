#pragma once

#include <span>
#include <string>
#include <vector>

#include "parity/results/judge.hpp"

namespace plumb::parity::results {

/// Defects of a policy as such (policy_lint.hpp) and with respect to runs that it judged, a line each:
///
///   unused    no output is decided by the rule, or held to the budget; a quarantine is not needed
///   (idle_quarantines.hpp) loose     the rule let pass outputs that the bound fails lax       the rule, or the budget,
///   would let zeros pass in place of outputs
std::vector<std::string> lint(const policy::Policy& policy, std::chrono::sys_days today,
                              std::span<const JudgedRun> runs);

}  // namespace plumb::parity::results
