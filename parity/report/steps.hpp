#pragma once

#include <span>

#include "parity/cases/node_result.hpp"

namespace plumb::parity::report {

/// A prompt and the steps behind it, a case each, as one for people: each output of a node once, by the step in which
/// it came out worst, with the worst verdict of all. Notes of steps that the prompt does not have say which step's they
/// are.
cases::CaseResult of_all_steps(std::span<const cases::CaseResult> cases);

}  // namespace plumb::parity::report
