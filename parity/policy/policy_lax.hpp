#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "parity/policy/policy.hpp"

namespace plumb::parity::policy {

/// Norms of an output, for limits that depend on its numbers.
struct Numbers {
  double largest = 0, norm1 = 0, norm2 = 0;  ///< magnitudes: the largest, their sum, the root of the sum of squares
};

/// Whether a rule passes, or excuses, zeros in place of these numbers, whatever it matches: then it gates nothing.
bool passes_zeros(const Rule& rule, const Facts& facts, const Numbers& numbers, std::chrono::sys_days today);

/// Whether the budget of an output does.
bool passes_zeros(const OutputBudget& budget, const Facts& facts, const Numbers& numbers, std::chrono::sys_days today);

/// The parts of a policy that gate nothing, a line each, "FILE:LINE: ...": rules and budgets that zeros would pass in
/// place of numbers as large as f16 has them; rules that expire more than two years from `today`; shares of [budget]
/// that every run keeps to, or that a clean run exceeds; NaNs that are ignored without a reason. Expired rules are left
/// out.
std::vector<std::string> lax(const Policy& policy, std::chrono::sys_days today);

}  // namespace plumb::parity::policy
