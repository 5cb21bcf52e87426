#pragma once

#include "parity/bounds/runs/sign_runs.hpp"
#include "parity/checks/expected/expected.hpp"

namespace plumb::parity::checks::expected {

/// A result for each tensor of the case's expectation, in the order of their names. What `evaluate` knows no limits of
/// is an error of its result.
std::vector<cases::ExpectedResult> judge(
    const cases::Case& subject, ir::Executor& reference, const Options& options,
    const bounds::runs::Evaluate& evaluate = bounds::runs::evaluate_by_error_models);

}  // namespace plumb::parity::checks::expected
