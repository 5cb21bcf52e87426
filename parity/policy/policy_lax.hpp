#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "parity/policy/policy.hpp"

namespace plumb::parity::policy {

/// What numbers of an output are like, for limits that depend on them.
struct Numbers {
  double largest = 0, norm1 = 0, norm2 = 0;  ///< magnitudes: the largest, their sum, the root of the sum of squares
};

/// Whether a rule passes, or excuses, zeros in place of these numbers, whatever it matches: then it gates nothing.
bool passes_zeros(const Rule& rule, const Facts& facts, const Numbers& numbers, std::chrono::sys_days today);

/// Whether the budget of an output does.
bool passes_zeros(const OutputBudget& budget, const Facts& facts, const Numbers& numbers, std::chrono::sys_days today);

/// What a policy gates nothing by, a line each, "FILE:LINE: ...": rules and budgets that zeros would pass in place of
/// numbers as large as f16 has them; rules that expire more than two years from `today`; shares of [budget] that
/// whatever comes keeps to, or a clean run does not; NaNs that are ignored without a reason. What has expired is left
/// out.
std::vector<std::string> lax(const Policy& policy, std::chrono::sys_days today);

}  // namespace plumb::parity::policy
