#pragma once

#include <string>

#include "parity/cases/node_result.hpp"

namespace plumb::parity::report {

/// A line for each result of a case that runs in another dtype than its graph was written in: its error in total
/// against the graph as it was, and against the converted one, whose inputs and weights are rounded already; "" for
/// any other case.
std::string totals_text(const cases::CaseResult& result);

}  // namespace plumb::parity::report
