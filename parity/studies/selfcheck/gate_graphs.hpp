#pragma once

// Graphs by which the gate is tried.

#include <string>

#include "parity/studies/selfcheck/small_cases.hpp"

namespace plumb::parity::studies::selfcheck {

/// A graph that has to pass: a product, and functions of its rows.
const SmallCase& graph_to_pass();

/// The label of its last node, which nobody reads: what is wrong there is wrong nowhere else.
inline constexpr std::string_view result_label = "weights";

/// A graph without a node.
const SmallCase& graph_of_nothing();

/// A graph with a node for every family of faults.
const SmallCase& graph_of_faults();

}  // namespace plumb::parity::studies::selfcheck
