#pragma once

#include <string>

#include "parity/policy/policy.hpp"
#include "parity/results/results_file.hpp"

/// Facts and measurements for a policy, from the rows of a results file.
namespace plumb::parity::results {

/// The facts of the output of a node that a row stands for. In version 1, which did not record them, kernel, tile and
/// accumulation are empty.
policy::Facts facts_of(ResultsFile& file, const Run& run, const Node& row);

/// The measurements of one part of an output of that dtype; `worst` is its worst element.
policy::Measured measured(const Node& row, const TopElement& worst, ir::DType dtype);

/// How much of a run was verified, and how much was to be. A file of an earlier version does not say it: there one
/// mistrusted node decides, as it did.
core::Coverage coverage_of(const Run& run);
core::Coverage least_coverage_of(const Run& run);

/// Whether a run of verify --validate stopped at an output.
bool was_stopped_by(ResultsFile& file, const Run& run, const Node& row);

}  // namespace plumb::parity::results
