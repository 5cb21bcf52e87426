#pragma once

// Quarantines that nothing needs any more.

#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "parity/results/judge.hpp"

namespace plumb::parity::results {

/// A line for each quarantine that still holds and excuses nothing, "FILE:LINE: quarantine ID: ...":
///
///   unused   no output of these runs matches, or no device where it excuses faults of devices alone
///   idle     it matches, and none of the last 300 runs that it matches had an incident of its kinds
std::vector<std::string> idle_quarantines(const policy::Policy& policy, std::chrono::sys_days today,
                                          std::span<const JudgedRun> runs);

/// Lets quarantines excuse nothing any more of which the last 200 of these runs that they match had more incidents than
/// `max_rate` allows in 200, and returns a line for each.
std::vector<std::string> wear_out(policy::Policy& policy, std::span<const JudgedRun> runs);

}  // namespace plumb::parity::results
