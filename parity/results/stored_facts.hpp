#pragma once

#include <string>

#include "parity/policy/policy.hpp"
#include "parity/results/results_tables.hpp"

/// What a policy asks about, from the rows of a results file.
namespace plumb::parity::results {

/// What is known of a node that a results file holds, beside what `device` says; `label` is its name.
policy::Facts facts_of(const policy::Facts& device, const GraphNode& node, std::string label, Code<FillKind> fill);

/// What was measured of one part of an output of that dtype; `worst` is its worst element.
policy::Measured measured(const Node& row, const TopElement& worst, ir::DType dtype);

}  // namespace plumb::parity::results
