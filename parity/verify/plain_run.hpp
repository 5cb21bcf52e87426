#pragma once

#include <optional>

#include "parity/cases/case.hpp"
#include "parity/cases/plain_run.hpp"
#include "parity/verify/candidate_run.hpp"

namespace plumb::parity::verify {

/// The finding of a plain run: of the plan that ships, compiled for the results alone.
struct PlainFinding {
  cases::PlainRun said = {};
  std::optional<CandidateRun> tapped = {};  ///< values of the plain run, where they have to be judged
};

/// Compiles a case for its results alone and runs it, after a run on other inputs, twice on its own; compares results
/// with those of the watched run bit by bit, NaNs of any payload being equal. Where they differ the plain run is made
/// once more with copies of its values; of a candidate that says Unsupported to that (Capture::as_plain) its results
/// are what is left to judge. Throws as the executor does.
PlainFinding run_plain(ir::Executor& candidate, foreign::Storage storage, const cases::Case& subject,
                       const CandidateRun& watched);

}  // namespace plumb::parity::verify
