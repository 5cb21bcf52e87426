#pragma once

#include <array>
#include <string>

#include "parity/compare/telling.hpp"
#include "parity/core/verdict.hpp"

namespace plumb::parity::cases {

/// The rule by which another implementation's results are those of the graph, or are not.
enum class ExpectedRule {
  end_to_end,  ///< how far roundings on the way to them may have moved them (verdict.md V44)
  tolerance,   ///< rtol and atol, as given, of the candidate's results (verdict.md V45)
};

constexpr auto enum_names(ExpectedRule) { return std::array<std::string_view, 2>{"end_to_end", "tolerance"}; }

/// How another implementation may have computed results that failed as what they were held to.
struct Explanation {
  std::string precision = {};               ///< the one at which all that failed would pass; empty: it is none
  double ratio = compare::not_computed;     ///< by which part of their limits
  double absolute = compare::not_computed;  ///< error of its functions, whatever their results' size; NaN: not that
  std::string text = {};                    ///< that in words; empty where nothing explains the failure
};

/// The verdict on one tensor that another implementation gave, and its reasons.
struct ExpectedResult {
  std::string value = {};  ///< its name in the graph
  ExpectedRule rule = ExpectedRule::end_to_end;
  unsigned runs = 0;                  ///< sign runs that its limits are made of
  std::string precision = {};         ///< how the other implementation is taken to compute: "f32"
  double relative = 0, absolute = 0;  ///< the tolerances, of that rule

  compare::Comparison comparison =
      {};                         ///< end_to_end: the tensor against the truth; tolerance: the candidate's against it
  std::uint64_t n_flagged = 0;    ///< elements that hang on a choice that roundings leave open, or are not judged
  compare::Telling telling = {};  ///< for a float tensor held to end_to_end

  core::Verdict verdict = core::Verdict::skipped;
  std::string why = {};  ///< reason for the verdict; never empty unless passed
  Explanation explanation = {};
};

}  // namespace plumb::parity::cases
