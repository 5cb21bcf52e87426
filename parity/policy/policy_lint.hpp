#pragma once

#include <string>
#include <vector>

#include "parity/core/demands.hpp"
#include "parity/policy/policy.hpp"

namespace plumb::parity::policy {

/// Defects of a policy as such, a line each, "FILE:LINE: ...":
///
///   expired   a rule whose last day is over: it matches nothing any more
///   shadowed  an earlier rule matches everything that this one does
///   loose     ratio_max lets pass outputs that the bound fails
///   lax       a rule or a budget that gates nothing (policy_lax.hpp)
std::vector<std::string> lint(const Policy& policy, std::chrono::sys_days today);

/// How a finding about a rule begins: "FILE:LINE: rule ID: ".
std::string finding_at(const Policy& policy, const Rule& rule);

/// Whether the last day of a rule is over.
bool is_expired(const Rule& rule, std::chrono::sys_days today);

/// A line for each such rule, "rule ID expired on DATE, matches nothing": what it requires or excuses counts no more.
std::vector<core::RunFinding> expired_rules(const Policy& policy, std::chrono::sys_days today);

/// Whether whatever matches `inner` matches `outer`, as far as their texts tell.
bool covers(const Rule& outer, const Rule& inner);

}  // namespace plumb::parity::policy
