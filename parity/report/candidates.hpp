#pragma once

// Several candidates on one case, side by side.

#include <span>
#include <string>

#include "parity/cases/pair_result.hpp"
#include "parity/report/report.hpp"

namespace plumb::parity::report {

/// A candidate's name, and what came of it.
struct NamedCase {
  std::string name;
  const cases::CaseResult* result;
};

/// The ratio of each node by each candidate, and the verdict where it is not passed: nodes that somebody did not pass
/// first, then the largest ratios, twelve of them; Detail::verdicts leaves the latter out, Detail::all has every node
/// in the order of the graph. Then a line for each candidate, and one for every two of them and each result.
std::string side_by_side(std::span<const NamedCase> candidates, std::span<const cases::PairResult> pairs, Detail detail,
                         const core::terminal::Style& style = {});

}  // namespace plumb::parity::report
