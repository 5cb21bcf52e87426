#pragma once

// The parts of the limit that an output's worst element was held to.

#include <array>
#include <string_view>

#include "parity/compare/compare.hpp"

namespace plumb::parity::cases {

struct NodeResult;

/// The origin of such a limit: roundings of a sum, the contract of a function, the norm of a line or of a matrix, a
/// choice, equality of numbers or of bits, or a rule of a policy.
enum class LimitBy { unknown, sum, function, line, norm, choice, exact, bits, policy };

constexpr auto enum_names(LimitBy) {
  return std::array<std::string_view, 9>{"unknown", "sum",   "function", "line",  "norm",
                                         "choice",  "exact", "bits",     "policy"};
}

/// The limit is λ standard deviations σ of chance, and what is allowed beside them; `certain` is what nothing but a
/// defect exceeds. NaN where an element's limit is not made so.
struct LimitParts {
  LimitBy by = LimitBy::unknown;
  double sigma = compare::not_computed, fixed = compare::not_computed, certain = compare::not_computed;
};

/// The parts that a results file kept or, of a run of this process, those that the comparison found.
LimitParts limit_parts(const NodeResult& node);

}  // namespace plumb::parity::cases
