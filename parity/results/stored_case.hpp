#pragma once

#include "parity/cases/node_result.hpp"
#include "parity/report/suites.hpp"
#include "parity/results/results_file.hpp"

namespace plumb::parity::results {

/// A run of a results file as verify had it, for reports: nodes in the order of their local rows, without the fields
/// that the file does not keep (docs/results.md). Throws Error where the rows are not those of the run's graph.
cases::CaseResult stored_case(ResultsFile& file, const Run& run);

/// The facts of the run for its reports.
report::RunFacts facts_of_run(ResultsFile& file, const Run& run);

}  // namespace plumb::parity::results
