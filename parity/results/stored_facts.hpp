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

}  // namespace plumb::parity::results
