#pragma once

#include <string>

#include "parity/report/viewers/cases.hpp"

namespace plumb::parity::report {

/// Trace Event JSON, which Perfetto and Chrome open: a process for each case, nodes as slices on one track for the
/// device and one for the reference, and the ratio as a counter. Records have durations alone, so that slices stand
/// end to end in the order of the graph, and nodes that nobody timed have none.
std::string to_trace(const Cases& cases);

}  // namespace plumb::parity::report
