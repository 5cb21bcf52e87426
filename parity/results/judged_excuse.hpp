#pragma once

// Quarantines of a policy, applied to what was recorded.

#include <chrono>

#include "parity/policy/policy.hpp"
#include "parity/results/judge.hpp"
#include "parity/results/results_file.hpp"

namespace plumb::parity::results {

/// An output that went wrong is excused as verify would do it, and one that was excused may be so no more.
void excuse_again(JudgedNode& node, const policy::Policy& policy, const policy::Facts& facts,
                  std::chrono::sys_days today);

/// Likewise a run that a device fault ended.
void excuse_again(JudgedRun& judged, const Run& run, const policy::Policy& policy, std::chrono::sys_days today);

}  // namespace plumb::parity::results
