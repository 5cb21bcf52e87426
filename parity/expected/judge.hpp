#pragma once

#include "parity/expected/expected.hpp"
#include "parity/expected/sign_runs.hpp"

namespace plumb::parity::expected {

/// A result for each tensor of the case's expectation, in the order of their names. What `evaluate` knows no limits of
/// is an error of its result.
std::vector<cases::ExpectedResult> judge(const cases::Case& subject, ir::Executor& reference, const Options& options,
                                         const Evaluate& evaluate = by_error_models);

}  // namespace plumb::parity::expected
