#pragma once

#include "parity/bounds/bounded.hpp"

namespace plumb::parity::bounds {

/// As evaluate_bounded() of a segment whose outputs are all judged by its error class, and whose truth is known.
Bounded bounded_by_class(const core::Segment& segment, core::Evaluated truth, const Manner& manner);

}  // namespace plumb::parity::bounds
