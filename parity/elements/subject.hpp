#pragma once

#include "parity/bounds/bounded.hpp"

namespace plumb::parity::elements {

/// An output of a segment that is judged, and who evaluates its truth.
struct Subject {
  ir::Executor& reference;
  const core::Segment& segment;
  std::span<const ir::TensorView> inputs;  ///< what the segment was fed, in the candidate's dtypes
  std::span<const ir::Sum> sums;           ///< as the kernel published them
  const bounds::Manner& manner;
};

}  // namespace plumb::parity::elements
